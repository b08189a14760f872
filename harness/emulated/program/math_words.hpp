#pragma once

// CUDA's functions of numbers that the host's library does not have. Approximations (__expf,
// __fdividef) are the exact functions here: results are nearer to the truth than a GPU's.

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#define RIDGELINE_WORD [[gnu::always_inline]] inline

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define RIDGELINE_SAME(name, type, of) \
  RIDGELINE_WORD type name(type x) { return of; }
RIDGELINE_SAME(rsqrtf, float, 1.0f / std::sqrt(x))
RIDGELINE_SAME(rsqrt, double, 1.0 / std::sqrt(x))
RIDGELINE_SAME(rsqrt, float, 1.0f / std::sqrt(x))
RIDGELINE_SAME(rcbrtf, float, 1.0f / std::cbrt(x))
RIDGELINE_SAME(rcbrt, double, 1.0 / std::cbrt(x))
RIDGELINE_SAME(sinpif, float, static_cast<float>(std::sin(3.141592653589793 * x)))
RIDGELINE_SAME(cospif, float, static_cast<float>(std::cos(3.141592653589793 * x)))
RIDGELINE_SAME(sinpi, double, std::sin(3.141592653589793 * x))
RIDGELINE_SAME(cospi, double, std::cos(3.141592653589793 * x))
RIDGELINE_SAME(normcdff, float, 0.5f * std::erfc(-x * 0.70710678118654752f))
RIDGELINE_SAME(normcdf, double, 0.5 * std::erfc(-x * 0.70710678118654752))
RIDGELINE_SAME(erfcxf, float, static_cast<float>(std::exp(double{x} * x) * std::erfc(double{x})))
RIDGELINE_SAME(erfcx, double, std::exp(x* x) * std::erfc(x))
RIDGELINE_SAME(__expf, float, std::exp(x))
RIDGELINE_SAME(__exp10f, float, std::pow(10.0f, x))
RIDGELINE_SAME(__logf, float, std::log(x))
RIDGELINE_SAME(__log2f, float, std::log2(x))
RIDGELINE_SAME(__log10f, float, std::log10(x))
RIDGELINE_SAME(__sinf, float, std::sin(x))
RIDGELINE_SAME(__cosf, float, std::cos(x))
RIDGELINE_SAME(__tanf, float, std::tan(x))
RIDGELINE_SAME(__tanhf, float, std::tanh(x))
RIDGELINE_SAME(__saturatef, float, (x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f))
RIDGELINE_SAME(__frcp_rn, float, 1.0f / x)
RIDGELINE_SAME(__fsqrt_rn, float, std::sqrt(x))
RIDGELINE_SAME(__frsqrt_rn, float, 1.0f / std::sqrt(x))
RIDGELINE_SAME(__drcp_rn, double, 1.0 / x)
RIDGELINE_SAME(__dsqrt_rn, double, std::sqrt(x))
#undef RIDGELINE_SAME

#define RIDGELINE_TWO(name, type, of) \
  RIDGELINE_WORD type name(type x, type y) { return of; }
RIDGELINE_TWO(__fdividef, float, x / y)
RIDGELINE_TWO(__powf, float, std::pow(x, y))
RIDGELINE_TWO(__fadd_rn, float, x + y)
RIDGELINE_TWO(__fsub_rn, float, x - y)
RIDGELINE_TWO(__fmul_rn, float, x* y)
RIDGELINE_TWO(__fdiv_rn, float, x / y)
RIDGELINE_TWO(__dadd_rn, double, x + y)
RIDGELINE_TWO(__dsub_rn, double, x - y)
RIDGELINE_TWO(__dmul_rn, double, x* y)
RIDGELINE_TWO(__ddiv_rn, double, x / y)
RIDGELINE_TWO(fdividef, float, x / y)
RIDGELINE_TWO(umin, unsigned, x < y ? x : y)
RIDGELINE_TWO(umax, unsigned, x > y ? x : y)
RIDGELINE_TWO(ullmin, unsigned long long, x < y ? x : y)
RIDGELINE_TWO(ullmax, unsigned long long, x > y ? x : y)
RIDGELINE_TWO(llmin, long long, x < y ? x : y)
RIDGELINE_TWO(llmax, long long, x > y ? x : y)
RIDGELINE_TWO(__umul24, unsigned, (x & 0xFFFFFFu) * (y & 0xFFFFFFu))
RIDGELINE_TWO(__hadd, int, (x & y) + ((x ^ y) >> 1))
RIDGELINE_TWO(__rhadd, int, (x | y) - ((x ^ y) >> 1))
RIDGELINE_TWO(__uhadd, unsigned, (x & y) + ((x ^ y) >> 1))
#undef RIDGELINE_TWO

RIDGELINE_WORD long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
RIDGELINE_WORD float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
RIDGELINE_WORD double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
RIDGELINE_WORD unsigned __sad(int x, int y, unsigned z) {
  return z + static_cast<unsigned>(x > y ? x - y : y - x);
}
RIDGELINE_WORD unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x > y ? x - y : y - x);
}
RIDGELINE_WORD void __sincosf(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
RIDGELINE_WORD void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
RIDGELINE_WORD float norm3df(float x, float y, float z) { return std::sqrt(x * x + y * y + z * z); }
RIDGELINE_WORD float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
RIDGELINE_WORD float rhypotf(float x, float y) { return 1.0f / std::hypot(x, y); }

namespace ridgeline::program {

/// Rounded as the suffix says, and kept within the type as the conversions of a GPU do. NaN is 0,
/// or of 64 bits, on either side, the highest bit alone (PTX ISA, cvt).
template <class To, class From>
RIDGELINE_WORD To to_integer(From rounded) {
  if (!(rounded == rounded))
    return sizeof(From) == 8 || sizeof(To) == 8
               ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1))
               : 0;
  if (rounded <= static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (rounded >= static_cast<From>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(rounded);
}

}  // namespace ridgeline::program

#define RIDGELINE_ROUNDED(name, to, from)                           \
  RIDGELINE_WORD to name##_rn(from x) {                             \
    return ::ridgeline::program::to_integer<to>(std::nearbyint(x)); \
  }                                                                 \
  RIDGELINE_WORD to name##_rz(from x) {                             \
    return ::ridgeline::program::to_integer<to>(std::trunc(x));     \
  }                                                                 \
  RIDGELINE_WORD to name##_rd(from x) {                             \
    return ::ridgeline::program::to_integer<to>(std::floor(x));     \
  }                                                                 \
  RIDGELINE_WORD to name##_ru(from x) { return ::ridgeline::program::to_integer<to>(std::ceil(x)); }
RIDGELINE_ROUNDED(__float2int, int, float)
RIDGELINE_ROUNDED(__float2uint, unsigned, float)
RIDGELINE_ROUNDED(__float2ll, long long, float)
RIDGELINE_ROUNDED(__float2ull, unsigned long long, float)
RIDGELINE_ROUNDED(__double2int, int, double)
RIDGELINE_ROUNDED(__double2uint, unsigned, double)
RIDGELINE_ROUNDED(__double2ll, long long, double)
RIDGELINE_ROUNDED(__double2ull, unsigned long long, double)
#undef RIDGELINE_ROUNDED

#define RIDGELINE_CONVERTED(name, to, from) \
  RIDGELINE_WORD to name(from x) { return static_cast<to>(x); }
RIDGELINE_CONVERTED(__int2double_rn, double, int)
RIDGELINE_CONVERTED(__uint2double_rn, double, unsigned)
#undef RIDGELINE_CONVERTED

namespace ridgeline::program {

/// The neighbour of `x` among the values of To that lies below it, above it, or nearer to zero; or
/// `x` itself. A long double holds every `x` of up to 64 bits.
template <class To, class From>
RIDGELINE_WORD To directed_from(From x, bool down, bool up) {
  const To near = static_cast<To>(x);
  const auto exact = static_cast<long double>(x), rounded = static_cast<long double>(near);
  const To end = std::numeric_limits<To>::infinity();
  if (rounded > exact && (down || (!up && exact > 0))) return std::nextafter(near, -end);
  if (rounded < exact && (up || (!down && exact < 0))) return std::nextafter(near, end);
  return near;
}

}  // namespace ridgeline::program

#define RIDGELINE_DIRECTED(name, to, from)                           \
  RIDGELINE_WORD to name##_rn(from x) { return static_cast<to>(x); } \
  RIDGELINE_WORD to name##_rz(from x) {                              \
    return ::ridgeline::program::directed_from<to>(x, false, false); \
  }                                                                  \
  RIDGELINE_WORD to name##_rd(from x) {                              \
    return ::ridgeline::program::directed_from<to>(x, true, false);  \
  }                                                                  \
  RIDGELINE_WORD to name##_ru(from x) {                              \
    return ::ridgeline::program::directed_from<to>(x, false, true);  \
  }
RIDGELINE_DIRECTED(__int2float, float, int)
RIDGELINE_DIRECTED(__uint2float, float, unsigned)
RIDGELINE_DIRECTED(__ll2float, float, long long)
RIDGELINE_DIRECTED(__ull2float, float, unsigned long long)
RIDGELINE_DIRECTED(__double2float, float, double)
RIDGELINE_DIRECTED(__ll2double, double, long long)
RIDGELINE_DIRECTED(__ull2double, double, unsigned long long)
#undef RIDGELINE_DIRECTED

RIDGELINE_WORD int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 32);
}
RIDGELINE_WORD int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(std::uint64_t, x));
}
RIDGELINE_WORD double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(
      double, std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
RIDGELINE_WORD int __dp4a(int a, int b, int sum) {
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return sum;
}
RIDGELINE_WORD unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 255u) * (b >> i & 255u);
  return sum;
}
RIDGELINE_WORD unsigned __vabsdiffu4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += 8) {
    const int difference = static_cast<int>(a >> i & 255u) - static_cast<int>(b >> i & 255u);
    result |= static_cast<unsigned>(difference < 0 ? -difference : difference) << i;
  }
  return result;
}

// CUDA has these for any two types of numbers.
namespace ridgeline::program {
template <class A, class B>
inline constexpr bool differ =
    std::is_arithmetic_v<A>&& std::is_arithmetic_v<B> && !std::is_same_v<A, B>;
}  // namespace ridgeline::program
template <class A, class B>
requires ::ridgeline::program::differ<A, B> RIDGELINE_WORD constexpr std::common_type_t<A, B> max(
    A a, B b) {
  using Both = std::common_type_t<A, B>;
  return static_cast<Both>(a) < static_cast<Both>(b) ? static_cast<Both>(b) : static_cast<Both>(a);
}
template <class A, class B>
requires ::ridgeline::program::differ<A, B> RIDGELINE_WORD constexpr std::common_type_t<A, B> min(
    A a, B b) {
  using Both = std::common_type_t<A, B>;
  return static_cast<Both>(b) < static_cast<Both>(a) ? static_cast<Both>(b) : static_cast<Both>(a);
}

#undef RIDGELINE_WORD
