// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// One half arrives at barrier 0 and does not wait; the other half waits there. In a second round
/// they change places; between the rounds all meet at another barrier, since __syncthreads() is
/// barrier 0, too.
__global__ void half_of_a_block_arrives_at_0(int* to) {
  __shared__ int tile[64];
  const int at = threadIdx.x % 64;
  for (int round = 0; round < 2; ++round) {
    if ((threadIdx.x < 64) == (round == 1)) {
      tile[at] = at + round;
      emulated::barrier_arrive_named(0, 128);
    } else {
      emulated::barrier_sync_named(0, 128);
      to[64 * round + at] = tile[63 - at];
    }
    emulated::barrier_sync_named(1, 128);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 128);
  run(device, {.block = dim3(128)}, half_of_a_block_arrives_at_0, to.data());
  expect_each(
      to, [](std::size_t i) { return 63 - static_cast<int>(i % 64) + static_cast<int>(i / 64); });
}
