// bug: too many arrivals at an mbarrier
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mbarrier_too_many_arrivals(int* to) {
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    emulated::barrier_init(&full, 32);
    emulated::fence_barrier_init();
  }
  __syncthreads();
  emulated::barrier_arrive(&full, 2, 0);
  emulated::barrier_arrive(&full, threadIdx.x == 0 ? 2 : 1, 0);
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 33);
  run(device, {.block = dim3(33)}, mbarrier_too_many_arrivals, to.data());
}
