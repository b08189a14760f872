#pragma once

// Conversions between integers and 16-bit numbers that CUDA's headers give to nvcc alone. What a
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
#undef RIDGELINE_WORD
