#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// The SM that this thread runs on, 0 to %nsmid - 1. Numbers need not be contiguous.
__device__ __forceinline__ unsigned sm_id() {
#if defined(__CUDACC__)
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
#else
  emulated::unsupported("%smid");  // its blocks are on no SM
#endif
}

}  // namespace ridgeline::ptx
