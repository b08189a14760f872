#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "harness/base/error.hpp"
#include "harness/device/cuda/launch_config.hpp"
#include "harness/device/stream.hpp"

/// Names the block's dynamic shared memory `name`, an array of T aligned to 128 bytes.
// NOLINTBEGIN(bugprone-macro-parentheses): a type and a name
#define RIDGELINE_DYNAMIC_SHARED(T, name)                                     \
  extern __shared__ __align__(128) unsigned char ridgeline_dynamic_shared_[]; \
  T* const name = reinterpret_cast<T*>(ridgeline_dynamic_shared_)
// NOLINTEND(bugprone-macro-parentheses)

namespace ridgeline::device {

/// Throws a dependency Error that names `action` unless `status` is cudaSuccess; OutOfMemory where
/// that is why.
inline void check_cuda(cudaError_t status, const char* action) {
  if (status == cudaSuccess) return;
  const std::string failure = std::string(action) + " failed: " + cudaGetErrorName(status) + " (" +
                              cudaGetErrorString(status) + ")";
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(failure);
  throw Error(ErrorKind::dependency, failure);
}

/// Starts `kernel` on `stream`. An empty grid starts nothing. Throws when the launch is refused.
template <class... Parameters, class... Arguments>
void launch(const LaunchConfig& config, Stream& stream, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (config.grid.x == 0 || config.grid.y == 0 || config.grid.z == 0) return;
  // Beyond 48 KiB, of which static shared memory, not known here, takes a part.
  if (config.shared_bytes > std::size_t{16} * 1024)
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(config.shared_bytes)),
               "raising a kernel's shared memory limit");
  cudaLaunchConfig_t native{};
  native.gridDim = config.grid;
  native.blockDim = config.block;
  native.dynamicSmemBytes = config.shared_bytes;
  native.stream = static_cast<cudaStream_t>(stream.native);
  cudaLaunchAttribute attributes[3];
  native.attrs = attributes;
  if (config.resident) {
    attributes[native.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[native.numAttrs++].val.cooperative = 1;
  }
  if (config.cluster.x * config.cluster.y * config.cluster.z != 1) {
    attributes[native.numAttrs].id = cudaLaunchAttributeClusterDimension;
    auto& dimensions = attributes[native.numAttrs++].val.clusterDim;
    dimensions.x = config.cluster.x;
    dimensions.y = config.cluster.y;
    dimensions.z = config.cluster.z;
  }
  if (config.early) {
    attributes[native.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[native.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  check_cuda(cudaLaunchKernelEx(&native, kernel,
                                static_cast<Parameters>(std::forward<Arguments>(arguments))...),
             "launching a kernel");
}

}  // namespace ridgeline::device
