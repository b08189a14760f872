#pragma once

namespace ridgeline::ptx {

/// The SM that this thread runs on, 0 to %nsmid - 1. Numbers need not be contiguous.
__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace ridgeline::ptx
