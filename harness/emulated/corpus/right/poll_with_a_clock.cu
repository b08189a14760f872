// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Waits for a flag that nobody raises for as long as it may, which nothing but the clock tells.
__global__ void poll_with_a_clock(volatile int* flag, int* to, long long most) {
  const long long start = clock64();
  while (*flag == 0) {
    if (clock64() - start > most) {
      to[blockIdx.x] = 1;
      return;
    }
  }
  to[blockIdx.x] = 2;
}

// Waits for a time, without and with a look at memory.
__global__ void waits_for_a_time(const int* from, int* to, long long most) {
  long long start = clock64();
  while (clock64() - start < most) {
  }
  int sum = 0;
  start = clock64();
  while (clock64() - start < most) sum += from[0];
  to[blockIdx.x] = 1 + sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr long long a_second = 2'000'000'000;
  for (const unsigned blocks : {1u, 4u}) {
    const auto flag = zeros(device, 1), to = zeros(device, blocks);
    run(device, {.grid = dim3(blocks), .block = dim3(1)}, poll_with_a_clock, flag.data(), to.data(),
        a_second);
    expect_each(to, [](std::size_t) { return 1; });
    run(device, {.grid = dim3(blocks), .block = dim3(1)}, waits_for_a_time, flag.data(), to.data(),
        a_second);
    expect_each(to, [](std::size_t) { return 1; });
  }
}
