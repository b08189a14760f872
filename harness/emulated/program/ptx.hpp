#pragma once

// What the rewriter makes of inline PTX (rewriter/ptx.cpp): an instruction is a call or two. An
// operand of an asm statement has the program's type, an instruction its own; bits go from one to
// the other.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "harness/emulated/async_calls.hpp"
#include "harness/emulated/program/device_words.hpp"
#include "harness/emulated/tensor_cores.hpp"
#include "harness/emulated/tf32.hpp"

namespace ridgeline::program::ptx {

#define RIDGELINE_WORD [[gnu::always_inline]] inline

/// The bits of `value` as a T; an integer of another size is widened or cut.
template <class T, class V>
RIDGELINE_WORD T get(const V& value) {
  if constexpr (std::is_same_v<T, V>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (sizeof(T) == sizeof(V) && !std::is_same_v<V, bool>) {
    T to;
    __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&value), sizeof to);
    return to;
  } else if constexpr (std::is_pointer_v<V>) {
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<V>) {
    return static_cast<T>(value);
  } else {
    T to{};  // of a pair and a word of another size: the lower bits
    __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&value),
                     sizeof to < sizeof value ? sizeof to : sizeof value);
    return to;
  }
}
template <class D, class V>
RIDGELINE_WORD void put(D& to, const V& value) {
  to = get<D>(value);
}
struct Sink {};
template <class V>
RIDGELINE_WORD void put(const Sink&, const V&) {}

/// Where an address with an offset points: in global or generic memory, or in shared memory, whose
/// addresses are numbers of their own.
template <class T, class V>
RIDGELINE_WORD T* global_at(const V& address, std::int64_t offset) {
  return reinterpret_cast<T*>(get<std::uint64_t>(address) + static_cast<std::uint64_t>(offset));
}
template <class T, class V>
RIDGELINE_WORD T* shared_at(const V& address, std::int64_t offset) {
  if constexpr (std::is_pointer_v<V>)
    return global_at<T>(address, offset);
  else
    return static_cast<T*>(
        shared_pointer(get<std::uint64_t>(address) + static_cast<std::uint64_t>(offset)));
}

template <class T>
RIDGELINE_WORD T load(const T* at) {
  return *at;
}
template <class T>
RIDGELINE_WORD T load_read_only(const T* at) {
  return ::ridgeline::emulated::loaded_read_only(at);
}
template <class T>
RIDGELINE_WORD T load_volatile(const T* at) {
  return *const_cast<const volatile T*>(at);
}
template <class T>
RIDGELINE_WORD void store(T* at, const T& value) {
  *at = value;
}
template <class T>
RIDGELINE_WORD void store_volatile(T* at, const T& value) {
  *const_cast<volatile T*>(at) = value;
}

// ---- numbers

template <class T>
RIDGELINE_WORD T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(
        static_cast<std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>(a) * b >>
        64);
  else
    return static_cast<T>(
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(a) * b >>
        8 * sizeof(T));
}
template <class T>
RIDGELINE_WORD auto mul_wide(T a, T b) {
  using Wide =
      std::conditional_t<sizeof(T) == 4,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                         std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
  return static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b));
}
/// Shifts by the width or more leave nothing, or the sign.
template <class T>
RIDGELINE_WORD T shift_left(T value, std::uint32_t by) {
  return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(value << by);
}
template <class T>
RIDGELINE_WORD T shift_right(T value, std::uint32_t by) {
  if (by >= 8 * sizeof(T)) return static_cast<T>(value < 0 ? -1 : 0);
  return static_cast<T>(value >> by);
}
template <class T>
RIDGELINE_WORD T bits_of(T value, std::uint32_t first, std::uint32_t count) {  // bfe
  first &= 255u;
  count &= 255u;
  if (count == 0) return 0;
  using Bits = std::make_unsigned_t<T>;
  constexpr std::uint32_t width = 8 * sizeof(T);
  const std::uint32_t last = first + count - 1 < width ? first + count - 1 : width - 1;
  Bits bits = first >= width ? Bits{0} : static_cast<Bits>(static_cast<Bits>(value) >> first);
  const std::uint32_t kept = last + 1 > first ? last + 1 - first : 0;
  const bool negative = std::is_signed_v<T> && (static_cast<Bits>(value) >> last & 1) != 0;
  if (kept < width) {
    const Bits mask = static_cast<Bits>((Bits{1} << kept) - 1);
    bits = negative ? static_cast<Bits>(bits | ~mask) : static_cast<Bits>(bits & mask);
  }
  return static_cast<T>(bits);
}
template <class T>
RIDGELINE_WORD T insert_bits(T from, T into, std::uint32_t first, std::uint32_t count) {  // bfi
  if (first >= 8 * sizeof(T)) return into;
  const T mask =
      count >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
  return static_cast<T>((into & ~(mask << first)) | ((from & mask) << first));
}
RIDGELINE_WORD std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                   std::uint32_t table) {  // lop3
  std::uint32_t to = 0;
  for (unsigned i = 0; i < 8; ++i)
    if ((table >> i & 1) != 0)
      to |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return to;
}
template <class T>
RIDGELINE_WORD T saturated(T value) {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}
RIDGELINE_WORD std::uint32_t to_tf32(float value) { return emulated::tf32_of(value); }
RIDGELINE_WORD unsigned lane() {
  const uint3 at = emulated::thread_index(), size = emulated::block_size();
  return ((at.z * size.y + at.y) * size.x + at.x) % 32;
}
RIDGELINE_WORD unsigned warp() {
  const uint3 at = emulated::thread_index(), size = emulated::block_size();
  return ((at.z * size.y + at.y) * size.x + at.x) / 32;
}

/// shfl.sync: `clamp` has the width in its upper half, as 32 minus the lanes of a segment.
RIDGELINE_WORD std::uint32_t shuffle(emulated::Shuffle kind, std::uint32_t value, int by,
                                     std::uint32_t clamp, std::uint32_t mask) {
  const int width = 32 - static_cast<int>(clamp >> 8 & 31u);
  return static_cast<std::uint32_t>(emulated::shuffle(mask, value, by, width, kind));
}

// ---- tensor cores; registers as mma.sync has them

RIDGELINE_WORD emulated::Sums multiply(emulated::Factor type, const emulated::Sums& sums,
                                       const emulated::Matrices& left, std::uint32_t right_low,
                                       std::uint32_t right_high) {
  return emulated::multiply(type, sums, left, right_low, right_high);
}
RIDGELINE_WORD emulated::Sums of_halves(std::uint32_t low, std::uint32_t high) {
  const auto half = [](std::uint32_t bits) {
    return __half2float(get<__half>(static_cast<std::uint16_t>(bits)));
  };
  return {{half(low), half(low >> 16), half(high), half(high >> 16)}};
}
RIDGELINE_WORD std::uint32_t to_halves(float low, float high) {
  return static_cast<std::uint32_t>(get<std::uint16_t>(__float2half_rn(low))) |
         static_cast<std::uint32_t>(get<std::uint16_t>(__float2half_rn(high))) << 16;
}
RIDGELINE_WORD std::uint32_t to_bfloats(float low, float high) {
  return static_cast<std::uint32_t>(get<std::uint16_t>(__float2bfloat16_rn(low))) |
         static_cast<std::uint32_t>(get<std::uint16_t>(__float2bfloat16_rn(high))) << 16;
}

/// cp.async of 4, 8 or 16 bytes, of which `inside` are read.
RIDGELINE_WORD void copy_async(void* to, const void* from, int bytes, int inside) {
  if (bytes == 16) return emulated::copy_async(to, from, inside != 0);
  for (int at = 0; at < bytes; at += 4)
    emulated::copy_async_4(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                           at < inside);
}

#undef RIDGELINE_WORD

}  // namespace ridgeline::program::ptx
