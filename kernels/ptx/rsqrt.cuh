#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// 1 / sqrt(x) with a relative error below 2^-22 (PTX ISA, "rsqrt.approx.ftz.f32"): one
/// instruction.
__device__ __forceinline__ float rsqrt_approximate(float x) {
#if defined(__CUDACC__)
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / std::sqrt(x);
#endif
}

}  // namespace ridgeline::ptx
