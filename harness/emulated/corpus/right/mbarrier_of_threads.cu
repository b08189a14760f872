// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mbarrier_of_threads(int* to) {
  __shared__ std::uint64_t full;
  __shared__ int s[64];
  if (threadIdx.x == 0) emulated::barrier_init(&full, 64);
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < 4; round += 2) {
    s[threadIdx.x] = static_cast<int>(threadIdx.x + round);
    emulated::barrier_arrive(&full, 1, 0);
    emulated::barrier_wait(&full, 0);
    sum += s[63 - threadIdx.x];
    emulated::barrier_arrive(&full, 1, 0);
    emulated::barrier_wait(&full, 1);
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, mbarrier_of_threads, to.data());
  expect_each(to, [](std::size_t i) { return 2 * (63 - i) + 2; });
}
