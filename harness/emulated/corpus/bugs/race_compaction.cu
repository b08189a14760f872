// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A place is taken without an atomic.
__global__ void race_compaction(const int* from, int* to, int* count) {
  if (from[threadIdx.x] % 2 == 0) {
    const int place = *count;
    *count = place + 1;
    to[place] = from[threadIdx.x];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64), count = zeros(device, 1);
  run(device, {.block = dim3(64)}, race_compaction, from.data(), to.data(), count.data());
}
