#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// 2^x with a relative error below 2^-22 (PTX ISA, "ex2.approx.ftz.f32"): one instruction. Results
/// below 2^-126 are 0.
__device__ __forceinline__ float exp2_approximate(float x) {
#if defined(__CUDACC__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  const float result = std::exp2(x);
  return result < 0x1p-126f ? 0.0f : result;
#endif
}

}  // namespace ridgeline::ptx
