// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void scan_by_two_buffers(const int* from, int* to) {
  __shared__ int s[2][128];
  const unsigned i = threadIdx.x;
  int in = 0;
  s[0][i] = from[i];
  __syncthreads();
  for (unsigned step = 1; step < 128; step *= 2, in = 1 - in) {
    s[1 - in][i] = i >= step ? s[in][i] + s[in][i - step] : s[in][i];
    __syncthreads();
  }
  to[i] = s[in][i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 128), to = zeros(device, 128);
  run(device, {.block = dim3(128)}, scan_by_two_buffers, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i * (i + 1) / 2; });
}
