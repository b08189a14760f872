#pragma once

// Assembly without instructions: it only tells the compiler what it may not assume.
namespace ridgeline::ptx {

/// `value` may be anything from here on: what is computed from it cannot be folded, and it occupies a register here.
__device__ __forceinline__ void make_opaque(unsigned& value) { asm volatile("" : "+r"(value)); }

/// Keeps memory accesses before and after from being merged or dropped.
__device__ __forceinline__ void keep_accesses() { asm volatile("" ::: "memory"); }

}  // namespace ridgeline::ptx
