// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ __forceinline__ void maximum(float* at, float value) {
  int* const word = reinterpret_cast<int*>(at);
  int old = *static_cast<volatile int*>(word), assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= value) return;
    old = atomicCAS(word, assumed, __float_as_int(value));
  } while (old != assumed);
}
__global__ void maximum_of_floats_by_swaps(const float* from, float* to) {
  maximum(to, from[blockIdx.x * 32 + threadIdx.x]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 128), to = zeros<float>(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, maximum_of_floats_by_swaps, from.data(),
      to.data());
  expect_each(to, [](std::size_t) { return 127; });
}
