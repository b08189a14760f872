#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// Adds four floats to those at `to`, global memory and a multiple of 16, where L2 has them:
/// nothing comes back, and nothing is waited for (PTX ISA, "red.add.v4.f32"; from sm_90 on). Each
/// of the four is added at once, in no order with what other threads add.
__device__ __forceinline__ void add_4(float* to, float4 four) {
#if defined(__CUDACC__)
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
                   __cvta_generic_to_global(to)),
               "f"(four.x), "f"(four.y), "f"(four.z), "f"(four.w)
               : "memory");
#else
  atomicAdd(to, four.x);
  atomicAdd(to + 1, four.y);
  atomicAdd(to + 2, four.z);
  atomicAdd(to + 3, four.w);
#endif
}

}  // namespace ridgeline::ptx
