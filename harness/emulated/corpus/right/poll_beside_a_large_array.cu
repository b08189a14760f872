// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// What tells that it counts is one word of a large stack.
__global__ void poll_beside_a_large_array(volatile int* flag, const int* from, int* to, int most) {
  constexpr int count = 4096;
  int kept[count];
  for (int i = 0; i < count; ++i) kept[i] = from[i % 32];
  int polls = 0;
  while (polls < most && *flag == 0) ++polls;
  to[0] = polls + kept[polls % count];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr int polls = 5000;
  const auto flag = zeros(device, 1), from = numbers(device, 32), to = zeros(device, 1);
  run(device, {.grid = dim3(1), .block = dim3(1)}, poll_beside_a_large_array, flag.data(),
      from.data(), to.data(), polls);
  expect_each(to, [](std::size_t) { return polls + polls % 32; });
}
