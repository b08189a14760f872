#pragma once

#include "harness/emulated/calls.hpp"

// Scopes of cuda::atomic and cuda::atomic_ref. libcu++ leaves them out of what it does on a host,
// which is how the emulated device compiles it, and still passes them to the functions below: these
// take what only threads of the block may rely on, say so, and do what libcu++ does. Those that
// read before they compare and exchange, as of floats, say it of the read. For versions that call
// these functions otherwise, nothing is changed. Stands behind <cuda/atomic>.
namespace cuda::std {

#define RIDGELINE_BLOCK_ATOMIC(name, parameters, arguments) \
  template <class Storage, class Value>                     \
  [[gnu::always_inline]] inline auto name parameters {      \
    ::ridgeline::emulated::next_atomic_is_of_block();       \
    return name arguments;                                  \
  }
#define RIDGELINE_BLOCK_UPDATE(name)                                                   \
  RIDGELINE_BLOCK_ATOMIC(                                                              \
      name, (Storage * at, Value value, memory_order order, __thread_scope_block_tag), \
      (at, value, order, __thread_scope_device_tag{}))
#define RIDGELINE_BLOCK_EXCHANGE(name)                                                     \
  RIDGELINE_BLOCK_ATOMIC(name,                                                             \
                         (Storage * at, Value * expected, Value value, memory_order order, \
                          memory_order failed, __thread_scope_block_tag),                  \
                         (at, expected, value, order, failed, __thread_scope_device_tag{}))
template <class Storage>
[[gnu::always_inline]] inline auto __atomic_load_dispatch(const Storage* at, memory_order order,
                                                          __thread_scope_block_tag) {
  ::ridgeline::emulated::next_atomic_is_of_block();
  return __atomic_load_dispatch(at, order, __thread_scope_device_tag{});
}
RIDGELINE_BLOCK_UPDATE(__atomic_store_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_exchange_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_add_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_sub_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_and_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_or_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_xor_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_max_dispatch)
RIDGELINE_BLOCK_UPDATE(__atomic_fetch_min_dispatch)
RIDGELINE_BLOCK_EXCHANGE(__atomic_compare_exchange_weak_dispatch)
RIDGELINE_BLOCK_EXCHANGE(__atomic_compare_exchange_strong_dispatch)
#undef RIDGELINE_BLOCK_EXCHANGE
#undef RIDGELINE_BLOCK_UPDATE
#undef RIDGELINE_BLOCK_ATOMIC

}  // namespace cuda::std
