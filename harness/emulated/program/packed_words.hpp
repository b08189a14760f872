#pragma once

// Conversions between integers and 16-bit numbers, and functions of these, that CUDA's headers give
// to nvcc alone. What a
// GPU makes of NaN and of values beyond the type, to_integer() says.

#include "harness/emulated/packed_types.hpp"
#include "harness/emulated/program/math_words.hpp"

#define RIDGELINE_WORD [[gnu::always_inline]] inline

// NOLINTBEGIN(bugprone-macro-parentheses): of types
#define RIDGELINE_ROUNDED(from, type, name, to, suffix, round)                    \
  RIDGELINE_WORD to __##from##2##name##_##suffix(type x) {                        \
    return ::ridgeline::program::to_integer<to>(std::round(__##from##2float(x))); \
  }
#define RIDGELINE_ROUNDED_TO(name, to)                                \
  RIDGELINE_ROUNDED(half, __half, name, to, rn, nearbyint)            \
  RIDGELINE_ROUNDED(half, __half, name, to, rd, floor)                \
  RIDGELINE_ROUNDED(half, __half, name, to, ru, ceil)                 \
  RIDGELINE_ROUNDED(bfloat16, __nv_bfloat16, name, to, rn, nearbyint) \
  RIDGELINE_ROUNDED(bfloat16, __nv_bfloat16, name, to, rd, floor)     \
  RIDGELINE_ROUNDED(bfloat16, __nv_bfloat16, name, to, ru, ceil)
RIDGELINE_ROUNDED_TO(int, int)
RIDGELINE_ROUNDED_TO(uint, unsigned)
RIDGELINE_ROUNDED_TO(short, short)
RIDGELINE_ROUNDED_TO(ushort, unsigned short)
RIDGELINE_ROUNDED_TO(ll, long long)
RIDGELINE_ROUNDED_TO(ull, unsigned long long)
#undef RIDGELINE_ROUNDED_TO

// Rounded twice in one direction is rounded once.
#define RIDGELINE_DIRECTED(name, from, over)                    \
  RIDGELINE_WORD __nv_bfloat16 __##name##2bfloat16_rz(from x) { \
    return __float2bfloat16_rz(__##over##2float_rz(x));         \
  }                                                             \
  RIDGELINE_WORD __nv_bfloat16 __##name##2bfloat16_rd(from x) { \
    return __float2bfloat16_rd(__##over##2float_rd(x));         \
  }                                                             \
  RIDGELINE_WORD __nv_bfloat16 __##name##2bfloat16_ru(from x) { \
    return __float2bfloat16_ru(__##over##2float_ru(x));         \
  }
RIDGELINE_DIRECTED(int, int, int)
RIDGELINE_DIRECTED(uint, unsigned, uint)
RIDGELINE_DIRECTED(short, short, int)
RIDGELINE_DIRECTED(ushort, unsigned short, uint)
RIDGELINE_DIRECTED(ll, long long, ll)
RIDGELINE_DIRECTED(ull, unsigned long long, ull)
#undef RIDGELINE_DIRECTED
#undef RIDGELINE_ROUNDED
// NOLINTEND(bugprone-macro-parentheses)

// Their functions; a GPU's of logarithms, powers and angles are approximations.
#define RIDGELINE_OF_BOTH(name, of)                    \
  RIDGELINE_WORD __half name(__half h) {               \
    const float x = __half2float(h);                   \
    return __float2half_rn(of);                        \
  }                                                    \
  RIDGELINE_WORD __nv_bfloat16 name(__nv_bfloat16 b) { \
    const float x = __bfloat162float(b);               \
    return __float2bfloat16_rn(of);                    \
  }
RIDGELINE_OF_BOTH(hceil, std::ceil(x))
RIDGELINE_OF_BOTH(hfloor, std::floor(x))
RIDGELINE_OF_BOTH(hrint, std::nearbyint(x))
RIDGELINE_OF_BOTH(htrunc, std::trunc(x))
RIDGELINE_OF_BOTH(hsqrt, std::sqrt(x))
RIDGELINE_OF_BOTH(hrsqrt, 1.0f / std::sqrt(x))
RIDGELINE_OF_BOTH(hrcp, 1.0f / x)
RIDGELINE_OF_BOTH(hlog, std::log(x))
RIDGELINE_OF_BOTH(hlog2, std::log2(x))
RIDGELINE_OF_BOTH(hlog10, std::log10(x))
RIDGELINE_OF_BOTH(hexp, std::exp(x))
RIDGELINE_OF_BOTH(hexp2, std::exp2(x))
RIDGELINE_OF_BOTH(hexp10, std::pow(10.0f, x))
RIDGELINE_OF_BOTH(hsin, std::sin(x))
RIDGELINE_OF_BOTH(hcos, std::cos(x))
#undef RIDGELINE_OF_BOTH
#undef RIDGELINE_WORD
