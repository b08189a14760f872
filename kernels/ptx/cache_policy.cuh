#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"

// Accesses of 16 bytes that say how caches are to treat their lines (PTX ISA, "Cache Eviction
// Priority Hints"; from sm_80 on). The emulated device does not model that: there they are the
// access.
namespace ridgeline::ptx {

/// Loads past L1; L2 gives up other lines before this one (evict_last).
__device__ __forceinline__ float4 load_kept(const float4* from) {
#if defined(__CUDACC__)
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float4 value;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(__cvta_generic_to_global(from)), "l"(policy));
  return value;
#else
  return *from;
#endif
}

/// Loads past L1, with nothing said of L2.
__device__ __forceinline__ uint4 load_past_l1(const uint4* from) {
#if defined(__CUDACC__)
  uint4 value;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(__cvta_generic_to_global(from)));
  return value;
#else
  return *from;
#endif
}

/// Stores; L2 gives up this line before others (evict_first).
__device__ __forceinline__ void store_passing(float4* to, const float4& value) {
#if defined(__CUDACC__)
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(
                   __cvta_generic_to_global(to)),
               "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w), "l"(policy)
               : "memory");
#else
  *to = value;
#endif
}

}  // namespace ridgeline::ptx
