// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// Two warps produce, two consume; neither waits where it need not.
__global__ void parts_of_a_block_meet(const int* from, int* to, int tiles) {
  constexpr unsigned full = 1, empty = 2, consumers = 3, all = 128;
  __shared__ int tile[64];
  __shared__ int sums[2];
  const unsigned at = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int i = 0; i < tiles; ++i) {
      if (i != 0) emulated::barrier_sync_named(empty, all);
      tile[at] = from[64 * i + static_cast<int>(at)];
      emulated::barrier_arrive_named(full, all);
    }
    return;
  }
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    emulated::barrier_sync_named(full, all);
    sum += tile[63 - at];
    if (i + 1 != tiles) emulated::barrier_arrive_named(empty, all);
  }
  for (int by = 16; by != 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
  if (at % 32 == 0) sums[at / 32] = sum;
  emulated::barrier_sync_named(consumers, 64);
  to[at] = sums[0] + sums[1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 256), to = zeros(device, 64);
  run(device, {.block = dim3(128)}, parts_of_a_block_meet, from.data(), to.data(), 4);
  expect_each(to, [](std::size_t) { return 255 * 128; });
}
