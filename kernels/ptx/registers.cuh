#pragma once

#include "kernels/ptx/shared_address.cuh"

// How many registers each thread of a warpgroup has (PTX ISA, "setmaxnreg"; sm_90a only): a
// multiple of 8 from 24 to 256. All warps of the warpgroup ask together.
namespace ridgeline::ptx {

/// Gives registers back to the block, so that `count` are left.
template <int count>
__device__ __forceinline__ void give_registers() {
#if defined(__CUDACC__)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#else
  emulated::set_registers(count);
#endif
}

/// Takes registers, up to `count`, and waits until others have given them back.
template <int count>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDACC__)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#else
  emulated::set_registers(count);
#endif
}

}  // namespace ridgeline::ptx
