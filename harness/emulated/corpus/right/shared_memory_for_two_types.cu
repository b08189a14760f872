// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shared_memory_for_two_types(const int* from, float* to) {
  __shared__ __align__(16) unsigned char bytes[256];
  int* const whole = reinterpret_cast<int*>(bytes);
  whole[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  const int mine = whole[63 - threadIdx.x];
  __syncthreads();
  float* const real = reinterpret_cast<float*>(bytes);
  real[threadIdx.x] = static_cast<float>(mine);
  __syncthreads();
  to[threadIdx.x] = real[threadIdx.x ^ 1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64);
  const auto to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, shared_memory_for_two_types, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return 63 - (i ^ 1); });
}
