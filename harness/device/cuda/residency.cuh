#pragma once

#include <cstddef>

#include "harness/device/cuda/language.cuh"

namespace ridgeline::device {

/// SMs of the device that `stream` belongs to, which is the current one.
inline int units(const Stream&) {
  int device = 0, count = 0;
  check_cuda(cudaGetDevice(&device), "asking for the current device");
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
             "counting its SMs");
  return count;
}

/// Asks for as much of L1 as shared memory as there is, for blocks that take `shared_bytes` of it
/// dynamically.
template <class... Parameters>
void prefer_shared_memory(void (*kernel)(Parameters...), std::size_t shared_bytes) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "asking for the most shared memory");
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)),
             "raising a kernel's shared memory limit");
}

/// Blocks of `threads` threads and `shared_bytes` of dynamic shared memory that an SM holds at
/// once.
template <class... Parameters>
int blocks_that_fit(const Facts&, void (*kernel)(Parameters...), int threads,
                    std::size_t shared_bytes) {
  int blocks = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
             "predicting a kernel's occupancy");
  return blocks;
}

}  // namespace ridgeline::device
