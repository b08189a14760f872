#pragma once

#include "harness/device/kernel.hpp"

// What the compiler may not assume.
namespace ridgeline::ptx {

/// Keeps memory accesses before and after from being merged or dropped; no instruction.
__device__ __forceinline__ void keep_accesses() { asm volatile("" ::: "memory"); }

/// As keep_accesses(), and different for each `path`, so that paths through the code that begin or
/// end alike are not merged either.
template <int path>
__device__ __forceinline__ void keep_apart() {
#if defined(__CUDACC__)
  asm volatile("// path %0" ::"n"(path) : "memory");
#else
  asm volatile("# path %0" ::"n"(path) : "memory");
#endif
}

/// What `values` come from stays before this point, and what is made of them behind it; no
/// instruction.
template <int count>
__device__ __forceinline__ void keep_order([[maybe_unused]] float (&values)[count]) {
#if defined(__CUDACC__)
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(values[i])::"memory");
#endif
}

}  // namespace ridgeline::ptx
