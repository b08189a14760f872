#pragma once

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

}  // namespace ridgeline::ptx
