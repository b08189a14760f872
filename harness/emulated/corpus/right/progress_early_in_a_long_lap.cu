// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A function of its own, so that nothing but memory tells how many there were.
__device__ __attribute__((noinline)) void count_one(int* done) { ++*done; }

// A lap makes more accesses than a log holds, and the only store that changes something is its
// first.
__global__ void progress_early_in_a_long_lap(volatile int* stop, int* done, int* same, int rounds) {
  while (*stop == 0 && *done < rounds) {
    count_one(done);
    for (int i = 0; i < 600; ++i) same[i] = 7;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr int rounds = 3000;
  const auto stop = zeros(device, 1), done = zeros(device, 1), same = zeros(device, 600);
  run(device, {.grid = dim3(1), .block = dim3(1)}, progress_early_in_a_long_lap, stop.data(),
      done.data(), same.data(), rounds);
  expect_each(done, [](std::size_t) { return rounds; });
}
