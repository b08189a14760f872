// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// One warp of two comes.
__global__ void part_waits_for_too_many(int* to) {
  if (threadIdx.x < 32) emulated::barrier_sync_named(1, 64);
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, part_waits_for_too_many, to.data());
}
