// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void local_arrays(const int* from, int* to) {
  int mine[16];
  for (int i = 0; i < 16; ++i) mine[i] = from[i] + static_cast<int>(threadIdx.x);
  for (int i = 0; i < 16; ++i) {
    const int other = mine[(i * 7 + from[i]) % 16];
    mine[i] = other;
  }
  int sum = 0;
  for (const int each : mine) sum += each > 0 ? 1 : 0;
  to[threadIdx.x] = sum >= 0 ? 1 : 0;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 16), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, local_arrays, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 1; });
}
