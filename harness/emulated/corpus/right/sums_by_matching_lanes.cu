// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void sums_by_matching_lanes(const int* keys, int* to) {
  const int key = keys[threadIdx.x] % 5;
  const unsigned same = __match_any_sync(0xFFFFFFFFu, key);
  if (__ffs(static_cast<int>(same)) - 1 == static_cast<int>(threadIdx.x % 32))
    atomicAdd(&to[key], __popc(same));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto keys = numbers(device, 64), to = zeros(device, 5);
  run(device, {.block = dim3(64)}, sums_by_matching_lanes, keys.data(), to.data());
  expect_each(to, [](std::size_t i) { return i == 4 ? 12 : 13; });
}
