// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void barrier_of_a_resident_grid(unsigned* come, int* data, int* to) {
  data[blockIdx.x] = static_cast<int>(blockIdx.x);
  for (unsigned round = 1; round <= 2; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(come, 1u);
      while (*static_cast<volatile unsigned*>(come) < round * gridDim.x) {
      }
      __threadfence();
    }
    __syncthreads();
    if (round == 1) to[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto come = zeros<unsigned>(device, 1);
  const auto data = zeros(device, 8), to = zeros(device, 8);
  run(device, {.grid = dim3(8), .block = dim3(32), .resident = true}, barrier_of_a_resident_grid,
      come.data(), data.data(), to.data());
  expect_each(to, [](std::size_t i) { return (i + 1) % 8; });
}
