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

/// Clusters of `config` that the device of `stream` holds at once: fewer than it has room for by
/// its SMs alone, because a cluster lies in one group of SMs (GPC).
template <class... Parameters>
int clusters_that_fit(const Stream& stream, void (*kernel)(Parameters...),
                      const LaunchConfig& config) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(config.shared_bytes)),
             "raising a kernel's shared memory limit");
  cudaLaunchConfig_t native{};
  native.gridDim = dim3(config.cluster.x * static_cast<unsigned>(units(stream)));
  native.blockDim = config.block;
  native.dynamicSmemBytes = config.shared_bytes;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = config.cluster.x;
  attribute.val.clusterDim.y = config.cluster.y;
  attribute.val.clusterDim.z = config.cluster.z;
  native.attrs = &attribute;
  native.numAttrs = 1;
  int clusters = 0;
  check_cuda(cudaOccupancyMaxActiveClusters(&clusters, kernel, &native),
             "counting a kernel's clusters");
  return clusters;
}

}  // namespace ridgeline::device
