// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// By exchanges of 16 bits, of which neighbours lie in one word.
__global__ void count_of_shorts(unsigned short* count) {
  unsigned short* const mine = count + threadIdx.x % 2;
  unsigned short old = *static_cast<volatile unsigned short*>(mine), seen;
  do {
    seen = old;
    old = atomicCAS(mine, seen, static_cast<unsigned short>(seen + 1));
  } while (old != seen);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros<unsigned short>(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(64)}, count_of_shorts, count.data());
  expect_each(count, [](std::size_t) { return 64; });
}
