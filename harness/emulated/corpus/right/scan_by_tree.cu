// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void scan_by_tree(const int* from, int* to) {
  __shared__ int s[128];
  const unsigned i = threadIdx.x;
  s[2 * i] = from[2 * i];
  s[2 * i + 1] = from[2 * i + 1];
  unsigned step = 1;
  for (unsigned count = 64; count > 0; count /= 2, step *= 2) {
    __syncthreads();
    if (i < count) s[step * (2 * i + 2) - 1] += s[step * (2 * i + 1) - 1];
  }
  if (i == 0) s[127] = 0;
  for (unsigned count = 1; count < 128; count *= 2) {
    step /= 2;
    __syncthreads();
    if (i < count) {
      const unsigned low = step * (2 * i + 1) - 1, high = step * (2 * i + 2) - 1;
      const int kept = s[low];
      s[low] = s[high];
      s[high] += kept;
    }
  }
  __syncthreads();
  to[2 * i] = s[2 * i];
  to[2 * i + 1] = s[2 * i + 1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 128), to = zeros(device, 128);
  run(device, {.block = dim3(64)}, scan_by_tree, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i == 0 ? 0 : i * (i - 1) / 2; });
}
