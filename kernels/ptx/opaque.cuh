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
template <int count>
__device__ __forceinline__ void keep_order([[maybe_unused]] unsigned (&values)[count]) {
#if defined(__CUDACC__)
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(values[i])::"memory");
#endif
}

/// What is made of `values` behind this point is made again, not kept from before it; no
/// instruction.
template <int count>
__device__ __forceinline__ void forget_derived([[maybe_unused]] uint4 (&values)[count]) {
#if defined(__CUDACC__)
#pragma unroll
  for (uint4& value : values)
    asm volatile("" : "+r"(value.x), "+r"(value.y), "+r"(value.z), "+r"(value.w));
#endif
}

/// Copies values that a product under way has as a factor, and that are read meanwhile: PTX forbids
/// to touch the factor's registers. What becomes of two registers with one value is ptxas'
/// business.
template <int count>
__device__ __forceinline__ void copy(const unsigned (&from)[count], unsigned (&to)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i)
#if defined(__CUDACC__)
    asm volatile("mov.b32 %0, %1;" : "=r"(to[i]) : "r"(from[i]));
#else
    to[i] = from[i];
#endif
}

}  // namespace ridgeline::ptx
