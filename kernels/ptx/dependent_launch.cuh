#pragma once

#include "harness/device/kernel.hpp"

// A kernel that begins while the one before it in the stream still ends (PTX ISA,
// "griddepcontrol"; LaunchConfig::early asks for it). Without that these do nothing.
namespace ridgeline::ptx {

/// Waits until the kernels before have ended and all they wrote is visible: of this kernel, no
/// thread reads or writes device memory earlier.
__device__ __forceinline__ void previous_kernel_wait() {
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#elif !defined(__CUDACC__)
  emulated::previous_kernel_wait();
#endif
}

/// Says that of this block's sake the next kernel may begin. It can when all blocks have said so or
/// ended.
__device__ __forceinline__ void next_kernel_may_begin() {
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace ridgeline::ptx
