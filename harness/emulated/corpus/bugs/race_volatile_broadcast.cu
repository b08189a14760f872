// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Nobody can wait for the word: before its lane stores it, nothing is there.
__global__ void race_volatile_broadcast(const int* from, int* to) {
  __shared__ volatile int of_warp[2];
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) of_warp[warp] = from[warp];
  to[threadIdx.x] = of_warp[warp];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 2), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, race_volatile_broadcast, from.data(), to.data());
}
