// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Looks in each round whether another block has found something; none does.
__global__ void stop_flag_in_a_loop(volatile int* stop, unsigned* to, int rounds) {
  unsigned x = blockIdx.x;
  for (int i = 0; i < rounds && *stop == 0; ++i) {
    x = x * 3 + 1;
    if (x == 2) *stop = 1;
  }
  to[blockIdx.x] = x;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr int rounds = 5000;
  const auto stop = zeros(device, 1);
  const auto to = zeros<unsigned>(device, 4);
  run(device, {.grid = dim3(4), .block = dim3(1)}, stop_flag_in_a_loop, stop.data(), to.data(),
      rounds);
  expect_each(to, [](std::size_t block) {
    auto x = static_cast<unsigned>(block);
    for (int i = 0; i < rounds; ++i) x = x * 3 + 1;
    return x;
  });
}
