#pragma once

// libcu++'s cuda::barrier of a block or a thread, on the mbarriers of the emulated device: what it
// orders, and who waits in vain, is seen there. Source: libcu++, "cuda::barrier" and
// "cuda::memcpy_async".

#include <cstddef>
#include <cstdint>

#include <cuda/atomic>

#include "harness/emulated/program/group_algorithms.hpp"

namespace cuda {

#define RIDGELINE_WORD [[gnu::always_inline]] inline

/// That many bytes, at addresses that are multiples of `bytes`.
template <std::size_t bytes>
struct aligned_size_t {
  static constexpr std::size_t align = bytes;
  std::size_t value;
  RIDGELINE_WORD explicit constexpr aligned_size_t(std::size_t count) : value(count) {}
  RIDGELINE_WORD constexpr operator std::size_t() const { return value; }
};

namespace ridgeline_details {

struct OneThread {
  RIDGELINE_WORD static constexpr unsigned thread_rank() { return 0; }
  RIDGELINE_WORD static constexpr unsigned num_threads() { return 1; }
};
struct Nothing {};

}  // namespace ridgeline_details

/// Threads of a block. A completion function is not modelled.
template <thread_scope scope, class Completion = ridgeline_details::Nothing>
class barrier {
  static_assert(std::is_same_v<Completion, ridgeline_details::Nothing>,
                "a barrier with a completion function is not modelled");

 public:
  struct arrival_token {
    unsigned parity = 0;
  };
  barrier() = default;
  RIDGELINE_WORD explicit barrier(std::ptrdiff_t expected) { begin(expected); }
  barrier(const barrier&) = delete;
  RIDGELINE_WORD friend void init(barrier* at, std::ptrdiff_t expected) { at->begin(expected); }

  RIDGELINE_WORD arrival_token arrive(std::ptrdiff_t count = 1) {
    const unsigned parity = ::ridgeline::emulated::barrier_parity(&word_);
    ::ridgeline::emulated::barrier_arrive(&word_, static_cast<unsigned>(count), 0);
    return {parity};
  }
  RIDGELINE_WORD void wait(arrival_token&& token) const { wait_parity(token.parity != 0); }
  RIDGELINE_WORD void arrive_and_wait() { wait(arrive()); }
  RIDGELINE_WORD void arrive_and_drop() {
    ::ridgeline::emulated::barrier_drop(&word_);
    ::ridgeline::emulated::barrier_arrive(&word_, 1, 0);
  }
  RIDGELINE_WORD void wait_parity(bool parity) const {
    ::ridgeline::emulated::barrier_wait(&word_, parity);
  }
  RIDGELINE_WORD bool try_wait_parity(bool parity) const {
    return ::ridgeline::emulated::barrier_test(&word_, parity);
  }
  RIDGELINE_WORD bool try_wait(arrival_token&& token) const {
    return try_wait_parity(token.parity != 0);
  }
  template <class Duration>
  RIDGELINE_WORD bool try_wait_for(arrival_token&& token, const Duration&) const {
    return try_wait_parity(token.parity != 0);
  }
  static constexpr std::ptrdiff_t max() { return (1 << 20) - 1; }
  /// Where the device has it.
  RIDGELINE_WORD std::uint64_t* native() { return &word_; }

 private:
  RIDGELINE_WORD void begin(std::ptrdiff_t expected) {
    ::ridgeline::emulated::barrier_init(&word_, static_cast<unsigned>(expected));
  }
  mutable std::uint64_t word_;
};

/// Of a thread for itself: it waits for its copies.
template <>
class barrier<thread_scope_thread, ridgeline_details::Nothing> {
 public:
  struct arrival_token {};
  barrier() = default;
  RIDGELINE_WORD explicit barrier(std::ptrdiff_t) {}
  RIDGELINE_WORD friend void init(barrier*, std::ptrdiff_t) {}
  RIDGELINE_WORD arrival_token arrive(std::ptrdiff_t = 1) { return {}; }
  RIDGELINE_WORD void wait(arrival_token&&) const { ridgeline::emulated::copy_wait(0); }
  RIDGELINE_WORD void arrive_and_wait() { wait({}); }
};

/// Copies that the barrier's phase waits for: they arrive before the thread does.
template <class Group, thread_scope scope, class Completion>
RIDGELINE_WORD void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes,
                                 barrier<scope, Completion>&) {
  cooperative_groups::details::copy(group, to, from, bytes);
  if constexpr (scope != thread_scope_thread) ridgeline::emulated::copy_wait(0);
}
template <thread_scope scope, class Completion>
RIDGELINE_WORD void memcpy_async(void* to, const void* from, std::size_t bytes,
                                 barrier<scope, Completion>& at) {
  memcpy_async(ridgeline_details::OneThread{}, to, from, bytes, at);
}

namespace device {

RIDGELINE_WORD std::uint64_t* barrier_native_handle(barrier<thread_scope_block>& of) {
  return of.native();
}
RIDGELINE_WORD void barrier_expect_tx(barrier<thread_scope_block>& at, std::ptrdiff_t bytes) {
  ridgeline::emulated::barrier_arrive(at.native(), 0, static_cast<unsigned>(bytes));
}
RIDGELINE_WORD barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block>& at, std::ptrdiff_t count, std::ptrdiff_t bytes) {
  const unsigned parity = ridgeline::emulated::barrier_parity(at.native());
  ridgeline::emulated::barrier_arrive(at.native(), static_cast<unsigned>(count),
                                      static_cast<unsigned>(bytes));
  return {parity};
}
template <class Value, std::size_t alignment>
RIDGELINE_WORD void memcpy_async_tx(Value* to, const Value* from, aligned_size_t<alignment> bytes,
                                    barrier<thread_scope_block>& at) {
  ridgeline::emulated::bulk_load(to, from, static_cast<unsigned>(bytes.value), at.native());
}

}  // namespace device

#undef RIDGELINE_WORD
}  // namespace cuda
