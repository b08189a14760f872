#pragma once

// What the compiler may not assume.
namespace ridgeline::ptx {

/// Keeps memory accesses before and after from being merged or dropped; no instruction.
__device__ __forceinline__ void keep_accesses() { asm volatile("" ::: "memory"); }

}  // namespace ridgeline::ptx
