#pragma once

// Words of the kernel language that programs use beyond those of language.hpp, and what the
// rewriter puts in the place of others.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <new>
#include <type_traits>

#include "harness/emulated/async_calls.hpp"
#include "harness/emulated/calls.hpp"
#include "harness/emulated/program/device_functions.hpp"

namespace ridgeline::program {

#define RIDGELINE_WORD [[gnu::always_inline]] inline

RIDGELINE_WORD dim3 block_dim() {
  const uint3 size = emulated::block_size();
  return {size.x, size.y, size.z};
}
RIDGELINE_WORD dim3 grid_dim() {
  const uint3 size = emulated::grid_size();
  return {size.x, size.y, size.z};
}
RIDGELINE_WORD std::clock_t device_clock() {
  return static_cast<std::clock_t>(emulated::ticks() & INT_MAX);
}

// Exchanges as they were before CUDA 9: all lanes of the warp take part.
#define RIDGELINE_OLD_SHUFFLE(name)                                  \
  template <class T>                                                 \
  RIDGELINE_WORD auto old##name(T value, int lane, int width = 32) { \
    return name##_sync(0xFFFFFFFFu, value, lane, width);             \
  }
RIDGELINE_OLD_SHUFFLE(__shfl)
RIDGELINE_OLD_SHUFFLE(__shfl_up)
RIDGELINE_OLD_SHUFFLE(__shfl_down)
RIDGELINE_OLD_SHUFFLE(__shfl_xor)
#undef RIDGELINE_OLD_SHUFFLE
RIDGELINE_WORD unsigned old__ballot(int predicate) { return __ballot_sync(0xFFFFFFFFu, predicate); }
RIDGELINE_WORD int old__any(int predicate) { return __any_sync(0xFFFFFFFFu, predicate); }
RIDGELINE_WORD int old__all(int predicate) { return __all_sync(0xFFFFFFFFu, predicate); }

struct Heap {};
inline constexpr Heap heap;

/// Bytes are copied in pieces as wide as both addresses and the size allow.
[[gnu::always_inline]] inline void* device_memcpy(void* to, const void* from, std::size_t bytes) {
  const auto low =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  if (low % 4 == 0) {
    typedef std::uint32_t [[gnu::may_alias]] Word;
    for (std::size_t i = 0; i < bytes / 4; ++i)
      static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
  } else {
    for (std::size_t i = 0; i < bytes; ++i)
      static_cast<volatile unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
  }
  return to;
}
[[gnu::always_inline]] inline void* device_memset(void* to, int value, std::size_t bytes) {
  const auto byte = static_cast<unsigned char>(value);
  for (std::size_t i = 0; i < bytes; ++i) static_cast<volatile unsigned char*>(to)[i] = byte;
  return to;
}

}  // namespace ridgeline::program

inline void* operator new(std::size_t bytes, const ridgeline::program::Heap&) {
  return ridgeline::program::device_malloc(bytes);
}
inline void* operator new[](std::size_t bytes, const ridgeline::program::Heap&) {
  return ridgeline::program::device_malloc(bytes);
}

RIDGELINE_WORD std::size_t __cvta_generic_to_shared(const void* shared) {
  return ::ridgeline::emulated::shared_address(shared);
}
RIDGELINE_WORD void* __cvta_shared_to_generic(std::size_t address) {
  return ::ridgeline::program::shared_pointer(address);
}
RIDGELINE_WORD std::size_t __cvta_generic_to_global(const void* memory) {
  return reinterpret_cast<std::size_t>(memory);
}
RIDGELINE_WORD void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
RIDGELINE_WORD void __trap() { ::ridgeline::program::device_trap(); }
RIDGELINE_WORD void __prof_trigger(int) {}
RIDGELINE_WORD void __brkpt() {}
#define __builtin_assume(condition) static_cast<void>(0)
#define __builtin_assume_aligned(pointer, ...) (pointer)
#define __nv_ptx_builtin_ocg_fence(...) static_cast<void>(0)

#define __activemask() (::ridgeline::program::active_lanes())

template <class T>
RIDGELINE_WORD T __ldcv(const T* at) {
  return *const_cast<const volatile T*>(at);
}
template <class T>
RIDGELINE_WORD T __ldlu(const T* at) {
  return *at;
}
template <class T>
RIDGELINE_WORD void __stwb(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
RIDGELINE_WORD void __stwt(T* at, std::type_identity_t<T> value) {
  *at = value;
}
RIDGELINE_WORD void __barrier_sync(unsigned number) {
  ::ridgeline::emulated::barrier_sync_named(number);
}
RIDGELINE_WORD void __barrier_sync_count(unsigned number, unsigned threads) {
  ::ridgeline::emulated::barrier_sync_named(number, threads);
}
RIDGELINE_WORD bool __isShared(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at) < std::uintptr_t{1} << 44 ||
         reinterpret_cast<std::uintptr_t>(at) >= std::uintptr_t{1} << 45;
}
RIDGELINE_WORD bool __isGlobal(const void* at) { return !__isShared(at); }

#undef RIDGELINE_WORD
