#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// The larger of two bf16, in either half of a word (PTX ISA, "max.bf16x2"; from sm_80 on): one
/// instruction. Of NaN and a number it gives the number.
__device__ __forceinline__ unsigned max_of_bf16_pairs(unsigned a, unsigned b) {
#if defined(__CUDACC__)
  unsigned result;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
#else
  const auto high = [](unsigned word) { return __uint_as_float(word & 0xFFFF0000u); };
  const auto low = [&](unsigned word) { return high(word << 16); };
  return __float_as_uint(std::fmax(high(a), high(b))) |
         __float_as_uint(std::fmax(low(a), low(b))) >> 16;
#endif
}

}  // namespace ridgeline::ptx
