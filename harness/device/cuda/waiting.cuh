#pragma once

#include "harness/device/cuda/language.cuh"
#include "harness/device/waiting.hpp"

namespace ridgeline::device::cuda {

/// Waits for what a GPU does: `query` says without waiting whether it is done, `block` waits. As
/// check_cuda(), and throws what a look meanwhile throws.
template <class Query, class Block>
void wait_for(Query query, Block block, const char* action) {
  cudaError_t status = cudaErrorNotReady;
  if (wait_looking([&] { return (status = query()) != cudaErrorNotReady; }))
    cudaGetLastError();  // that it was not ready before is no failure of what comes next
  else
    status = block();
  check_cuda(status, action);
}

}  // namespace ridgeline::device::cuda
