// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mbarrier_wrong_parity(int* to) {
  __shared__ std::uint64_t full;
  __shared__ int s[64];
  if (threadIdx.x == 0) {
    emulated::barrier_init(&full, 64);
    emulated::fence_barrier_init();
  }
  __syncthreads();
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  emulated::barrier_arrive(&full, 1, 0);
  emulated::barrier_wait(&full, 1);
  to[threadIdx.x] = s[63 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, mbarrier_wrong_parity, to.data());
}
