// bug: different numbers of threads at a barrier
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void parts_disagree_on_a_barrier(int* to) {
  emulated::barrier_sync_named(1, threadIdx.x < 32 ? 64 : 96);
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, parts_disagree_on_a_barrier, to.data());
}
