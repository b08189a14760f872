// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void compaction_by_ballots(const int* from, int* to, int* count) {
  const int value = from[blockIdx.x * 32 + threadIdx.x];
  const unsigned taken = __ballot_sync(0xFFFFFFFFu, value % 3 == 0);
  int base = 0;
  if (threadIdx.x == 0) base = atomicAdd(count, __popc(taken));
  base = __shfl_sync(0xFFFFFFFFu, base, 0);
  if (value % 3 == 0) to[base + __popc(taken & ((1u << threadIdx.x) - 1))] = value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 96), to = zeros(device, 32), count = zeros(device, 1);
  run(device, {.grid = dim3(3), .block = dim3(32)}, compaction_by_ballots, from.data(), to.data(),
      count.data());
  expect_each(count, [](std::size_t) { return 32; });
}
