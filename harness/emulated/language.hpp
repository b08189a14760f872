#pragma once

// CUDA C++ for a host compiler: the words that kernels use, with their meaning on the emulated
// device. It stands before every source of kernels (-include). See docs/emulated-device.md for the
// rules that sources keep to.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

#include <vector_functions.h>
#include <vector_types.h>

#include "harness/device/cuda/launch_config.hpp"
#include "harness/device/stream.hpp"
#include "harness/emulated/calls.hpp"
#include "harness/emulated/packed_types.hpp"
#include "harness/emulated/residency.hpp"

#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __maxnreg__
#define __maxnreg__(...)
// By this attribute, which changes nothing, compile_kernels knows kernels from host code.
#undef __global__
#define __global__ __attribute__((no_profile_instrument_function))
// An OS thread runs one block at a time, so its variables are the block's. Each starts at bank 0.
#undef __shared__
#define __shared__ thread_local __attribute__((aligned(128)))

/// Names the block's dynamic shared memory `name`, an array of T aligned to 128 bytes.
#define RIDGELINE_DYNAMIC_SHARED(T, name) \
  T* const name = static_cast<T*>(::ridgeline::emulated::dynamic_shared())

#define threadIdx (::ridgeline::emulated::thread_index())
#define blockIdx (::ridgeline::emulated::block_index())
#define blockDim (::ridgeline::emulated::block_size())
#define gridDim (::ridgeline::emulated::grid_size())
#define warpSize 32

// A barrier is known by where it stands in the source: the compiler may copy the call.
#define __syncthreads() (::ridgeline::emulated::block_barrier(__COUNTER__ + 1))
#define __syncthreads_or(predicate)                                                           \
  (::ridgeline::emulated::block_barrier(__COUNTER__ + 1, ::ridgeline::emulated::Combine::any, \
                                        predicate))
#define __syncthreads_and(predicate)                                                          \
  (::ridgeline::emulated::block_barrier(__COUNTER__ + 1, ::ridgeline::emulated::Combine::all, \
                                        predicate))
#define __syncthreads_count(predicate)                                                          \
  (::ridgeline::emulated::block_barrier(__COUNTER__ + 1, ::ridgeline::emulated::Combine::count, \
                                        predicate))

#define RIDGELINE_WORD [[gnu::always_inline]] inline

RIDGELINE_WORD void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  ::ridgeline::emulated::warp_barrier(mask);
}

namespace ridgeline::emulated {

template <class T>
RIDGELINE_WORD std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 2, "values of 2, 4 or 8 bytes");
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  Bits bits;  // CUDA's pairs of halves are not trivially copyable
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <class T>
RIDGELINE_WORD T from_bits(std::uint64_t bits) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const Bits narrow = static_cast<Bits>(bits);
  T value;
  std::memcpy(static_cast<void*>(&value), &narrow, sizeof value);
  return value;
}

/// What CUDA's functions for int get of a bool, a char, a short or an enumeration; else T itself.
template <class T, bool promotes = std::is_integral_v<T> ||
                                   (std::is_enum_v<T> && std::is_convertible_v<T, int>)>
struct PromotedBy {
  using Type = T;
};
template <class T>
struct PromotedBy<T, true> {
  using Type = decltype(+T{});
};
template <class T>
using Promoted = typename PromotedBy<T>::Type;

RIDGELINE_WORD float widened(__half value) { return __half2float(value); }
RIDGELINE_WORD float widened(__nv_bfloat16 value) { return __bfloat162float(value); }
/// As tensor cores read a float for tf32: without its 13 lowest bits.
RIDGELINE_WORD float widened(float value) {
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) & 0xFFFFE000u);
}

template <class T>
constexpr Number number_of() {
  if constexpr (std::is_same_v<T, float>) return Number::f32;
  if constexpr (std::is_same_v<T, double>) return Number::f64;
  static_assert(std::is_arithmetic_v<T>, "atomics work on numbers");
  if constexpr (std::is_same_v<T, unsigned short>) return Number::u16;
  static_assert(sizeof(T) >= 4 || std::is_same_v<T, unsigned short>,
                "atomics work on unsigned short, and on 4 or 8 bytes");
  if constexpr (std::is_signed_v<T>) return sizeof(T) == 8 ? Number::i64 : Number::i32;
  return sizeof(T) == 8 ? Number::u64 : Number::u32;
}
template <class T>
RIDGELINE_WORD T updated(T* at, T value, Update kind, T compared = {},
                         Scope scope = Scope::device) {
  return from_bits<T>(update(at, to_bits(value), to_bits(compared), kind, number_of<T>(), scope));
}

}  // namespace ridgeline::emulated

#define RIDGELINE_SHUFFLE(name, kind)                                                              \
  template <class T>                                                                               \
  RIDGELINE_WORD auto name(unsigned mask, T own, int lane, int width = 32) {                       \
    namespace emulated = ::ridgeline::emulated;                                                    \
    using Value = emulated::Promoted<T>;                                                           \
    return emulated::from_bits<Value>(emulated::shuffle(mask, emulated::to_bits<Value>(own), lane, \
                                                        width, emulated::Shuffle::kind));          \
  }
RIDGELINE_SHUFFLE(__shfl_sync, index)
RIDGELINE_SHUFFLE(__shfl_up_sync, up)
RIDGELINE_SHUFFLE(__shfl_down_sync, down)
RIDGELINE_SHUFFLE(__shfl_xor_sync, exclusive_or)
#undef RIDGELINE_SHUFFLE

RIDGELINE_WORD unsigned __ballot_sync(unsigned mask, int predicate) {
  return ::ridgeline::emulated::ballot(mask, predicate);
}
RIDGELINE_WORD int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0 ? 1 : 0;
}
RIDGELINE_WORD int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0 ? 1 : 0) == 0 ? 1 : 0;
}

#define RIDGELINE_ATOMIC(name, kind)                                                       \
  template <class T>                                                                       \
  RIDGELINE_WORD T name(T* at, std::type_identity_t<T> value) {                            \
    return ::ridgeline::emulated::updated(at, value, ::ridgeline::emulated::Update::kind); \
  }
RIDGELINE_ATOMIC(atomicAdd, add)
RIDGELINE_ATOMIC(atomicMin, minimum)
RIDGELINE_ATOMIC(atomicMax, maximum)
RIDGELINE_ATOMIC(atomicExch, exchange)
RIDGELINE_ATOMIC(atomicAnd, bit_and)
RIDGELINE_ATOMIC(atomicOr, bit_or)
RIDGELINE_ATOMIC(atomicXor, bit_xor)
#undef RIDGELINE_ATOMIC
template <class T>
RIDGELINE_WORD T atomicCAS(T* at, std::type_identity_t<T> compared, std::type_identity_t<T> value) {
  return ::ridgeline::emulated::updated(at, value, ::ridgeline::emulated::Update::compare_and_swap,
                                        compared);
}

#include "harness/emulated/words.hpp"

namespace ridgeline::emulated {

template <class T>
RIDGELINE_WORD T loaded_read_only(const T* at) {
  if constexpr (alignof(T) != sizeof(T) || sizeof(T) > 16) {
    return *at;
  } else {
    T value;
    if constexpr (sizeof(T) == 16) {
      const TwoWords words = load_read_only_16(at);
      std::memcpy(static_cast<void*>(&value), &words, sizeof value);
    } else {
      const std::uint64_t word = load_read_only<sizeof(T)>(at);
      std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    }
    return value;
  }
}

}  // namespace ridgeline::emulated

// How caches treat an access is not modelled: it is the access. Of the one that is not coherent it
// is known.
template <class T>
RIDGELINE_WORD T __ldg(const T* at) {
  return ::ridgeline::emulated::loaded_read_only(at);
}
#define RIDGELINE_LOAD(name)           \
  template <class T>                   \
  RIDGELINE_WORD T name(const T* at) { \
    return *at;                        \
  }
RIDGELINE_LOAD(__ldcs)
RIDGELINE_LOAD(__ldcg)
RIDGELINE_LOAD(__ldca)
#undef RIDGELINE_LOAD
template <class T>
RIDGELINE_WORD void __stcs(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
RIDGELINE_WORD void __stcg(T* at, std::type_identity_t<T> value) {
  *at = value;
}

RIDGELINE_WORD unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
RIDGELINE_WORD float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
RIDGELINE_WORD int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
RIDGELINE_WORD float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }

/// a x + b of each half, rounded once: the product and nearly every sum are exact in double.
RIDGELINE_WORD __half2 __hfma2(__half2 a, __half2 x, __half2 b) {
  const auto each = [](__half of_a, __half of_x, __half of_b) {
    return __double2half(static_cast<double>(__half2float(of_a)) *
                             static_cast<double>(__half2float(of_x)) +
                         static_cast<double>(__half2float(of_b)));
  };
  return __halves2half2(each(__low2half(a), __low2half(x), __low2half(b)),
                        each(__high2half(a), __high2half(x), __high2half(b)));
}

using std::max;
using std::min;

#undef RIDGELINE_WORD

// Behind the headers above, which would take instructions of the GPU for it. Host code of the file
// sees it, too: a file is compiled once, and not once for each side.
#if defined(RIDGELINE_CUDA_ARCH)
#define __CUDA_ARCH__ RIDGELINE_CUDA_ARCH
#endif

namespace ridgeline::device {

/// Runs `kernel` on `stream`'s device, to its end. An empty grid starts nothing. Throws when the
/// launch is refused.
template <class... Parameters, class... Arguments>
void launch(const LaunchConfig& config, Stream& stream, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (config.grid.x == 0 || config.grid.y == 0 || config.grid.z == 0) return;
  const auto start = [&](Parameters... values) __attribute__((no_sanitize_thread)) {
    const emulated::Argument each[] = {{&values, sizeof values}..., {}};
    const auto call = [ kernel, values... ]() __attribute__((no_sanitize_thread)) {
      kernel(values...);
    };
    using Call = decltype(call);
    static_assert(std::is_trivially_copyable_v<Call>, "a kernel's arguments are copied as bytes");
    emulated::launch(config, stream.native,
                     {emulated::run_copied<Call>, &call, sizeof call,
                      reinterpret_cast<void (*)()>(kernel), each});
  };
  start(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
}

}  // namespace ridgeline::device
