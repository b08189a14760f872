// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mbarrier_init_without_barrier(int* to) {
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    emulated::barrier_init(&full, 64);
    emulated::fence_barrier_init();
  }
  emulated::barrier_arrive(&full, 1, 0);
  emulated::barrier_wait(&full, 0);
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, mbarrier_init_without_barrier, to.data());
}
