// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_histogram(const int* values, int* to) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  const int bin = values[blockIdx.x * 64 + threadIdx.x] % 32;
  atomicAdd(static_cast<int*>(emulated::in_block_of_cluster(bins + bin % 16, bin / 16)), 1);
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (threadIdx.x < 16)
    to[16 * emulated::cluster_rank() + static_cast<int>(threadIdx.x)] = bins[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto values = numbers(device, 128), to = zeros(device, 32);
  run(device, {.grid = dim3(2), .block = dim3(64), .cluster = dim3(2)}, cluster_histogram,
      values.data(), to.data());
  expect_each(to, [](std::size_t) { return 4; });
}
