// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A lane that has done its part goes on to a mask with lanes that are not done with theirs.
__global__ void lanes_meet_by_changing_masks(int* to) {
  const unsigned lane = threadIdx.x % 32;
  const bool odd = lane % 5 % 2 != 0;
  const unsigned odds = __ballot_sync(0xFFFFFFFFu, odd ? 1 : 0), mine = odd ? odds : ~odds;
  int sum = 0;
  for (unsigned from = 0; from < 32; ++from)
    if ((mine >> from & 1) != 0) sum += __shfl_sync(mine, 1, static_cast<int>(from));
  const unsigned neighbours = 0xFFu << lane / 8 * 8;
  to[threadIdx.x] = sum == __popc(mine) ? __popc(__match_any_sync(neighbours, 7)) : 0;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, lanes_meet_by_changing_masks, to.data());
  expect_each(to, [](std::size_t) { return 8; });
}
