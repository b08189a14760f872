#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#if !defined(__CUDACC__)
#include "harness/emulated/async_calls.hpp"
#endif

namespace ridgeline::ptx {

/// The address that instructions and descriptors have of what lies in the block's shared memory.
__device__ __forceinline__ unsigned shared_address(const void* shared) {
#if defined(__CUDACC__)
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
#else
  return emulated::shared_address(shared);
#endif
}

}  // namespace ridgeline::ptx
