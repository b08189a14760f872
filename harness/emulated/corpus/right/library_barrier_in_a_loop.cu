// right
#include <cuda/barrier>

#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void library_barrier_in_a_loop(const int* from, int* to) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int s[96];
  const unsigned i = threadIdx.x;
  if (i == 0) init(&all, blockDim.x);
  s[i] = from[i];
  __syncthreads();
  for (int round = 0; round < 5; ++round) {
    const int next = s[(i + 1) % 96];
    all.arrive_and_wait();
    s[i] = next;
    all.arrive_and_wait();
  }
  to[i] = s[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 96), to = zeros(device, 96);
  run(device, {.block = dim3(96)}, library_barrier_in_a_loop, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return (i + 5) % 96; });
}
