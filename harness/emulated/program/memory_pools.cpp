#include <cuda_runtime_api.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/copies.hpp"
#include "harness/emulated/program/session.hpp"

// Pools of memory that is allocated in a stream's order. Allocations are made and freed at once, so
// a pool keeps nothing, whatever it is told: its attributes are 0.
using ridgeline::program::Session;

namespace {

// One stands for all.
cudaMemPool_t the_pool() {
  static char pool = 0;
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

cudaError_t give_pool(cudaMemPool_t* to) {
  if (to == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  *to = the_pool();
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int) { return give_pool(to); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int) { return give_pool(to); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, const cudaMemPoolProps*) { return give_pool(to); }
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* to) {
  if (attribute >= cudaMemPoolAttrReleaseThreshold)
    *static_cast<unsigned long long*>(to) = 0;
  else
    *static_cast<int*>(to) = 0;
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** to, std::size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  ridgeline::program::refuse_in_capture(stream, "cudaMallocFromPoolAsync", RIDGELINE_CALLER);
  return ridgeline::program::allocate_device(to, bytes, "buffer", RIDGELINE_CALLER);
}

}  // extern "C"
