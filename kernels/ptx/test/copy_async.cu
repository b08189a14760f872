#include "harness/device/kernel.hpp"
#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/test/copy_async.hpp"

namespace ridgeline::ptx::test {
namespace {

constexpr int count = 128;

__global__ void copy_to_shared_kernel(bool words, int outside, const float* from, float* to) {
  __shared__ __align__(16) float held[count];
  __shared__ __align__(16) float later[4 * count];
  const int thread = static_cast<int>(threadIdx.x);
  held[thread] = -1;
  __syncthreads();
  if (words)
    copy_async_4(held + thread % 16 * 8 + thread / 16, from + thread, thread < count - outside);
  else if (thread < count / 4)
    copy_async_16(held + 4 * thread, from + 4 * thread, thread < count / 4 - outside);
  copy_async_commit();
  copy_async_16(later + 4 * thread, from + thread % 32 * 4, true);
  copy_async_commit();
  copy_async_wait<1>();
  __syncthreads();
  to[thread] = held[thread];
  copy_async_wait<0>();
}

__global__ void copy_and_arrive_kernel(const float* from, float* to) {
  __shared__ float held[count];
  __shared__ Barrier arrived;
  const int thread = static_cast<int>(threadIdx.x);
  held[thread] = -1;
  if (thread == 0) barrier_init(&arrived, count);
  __syncthreads();
  copy_async_4(held + thread, from + thread, true);
  copy_async_arrive(&arrived);
  barrier_wait(&arrived, 0);
  to[thread] = held[count - 1 - thread];
}

}  // namespace

void copy_and_arrive(device::Stream& stream, const float* from, float* to) {
  device::launch({.block = dim3(count)}, stream, copy_and_arrive_kernel, from, to);
}

void copy_to_shared(device::Stream& stream, bool words, int outside, const float* from, float* to) {
  device::launch({.block = dim3(count)}, stream, copy_to_shared_kernel, words, outside, from, to);
}

}  // namespace ridgeline::ptx::test
