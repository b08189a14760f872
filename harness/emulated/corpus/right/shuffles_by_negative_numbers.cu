// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// Five bits of the number count: -8 is 24, and -1 is 31.
__global__ void shuffles_by_negative_numbers(int* to) {
  const int lane = static_cast<int>(threadIdx.x);
  to[lane] = __shfl_xor_sync(~0u, lane, -8, 16);
  to[32 + lane] = __shfl_up_sync(~0u, lane, static_cast<unsigned>(-1));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(32)}, shuffles_by_negative_numbers, to.data());
  expect_each(to, [](std::size_t i) {
    return i < 16 ? i : i < 32 ? i ^ 24 : i == 63 ? 0 : i - 32;
  });
}
