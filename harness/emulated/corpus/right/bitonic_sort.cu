// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void bitonic_sort(const int* from, int* to) {
  __shared__ int s[128];
  const unsigned i = threadIdx.x;
  s[i] = from[i] * 37 % 128;
  __syncthreads();
  for (unsigned size = 2; size <= 128; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const unsigned other = i ^ step;
      if (other > i) {
        const int a = s[i], b = s[other];
        if ((i & size) == 0 ? a > b : a < b) {
          s[i] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  to[i] = s[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 128), to = zeros(device, 128);
  run(device, {.block = dim3(128)}, bitonic_sort, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i; });
}
