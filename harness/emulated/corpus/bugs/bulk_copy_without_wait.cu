// bug: under way
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void bulk_copy_without_wait(const float* from, float* to) {
  __shared__ std::uint64_t full;
  __shared__ float s[64];
  if (threadIdx.x == 0) {
    emulated::barrier_init(&full, 1);
    emulated::fence_barrier_init();
    emulated::barrier_arrive(&full, 1, 256);
    emulated::bulk_load(s, from, 256, &full);
  }
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x];
  emulated::barrier_wait(&full, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 64), to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, bulk_copy_without_wait, from.data(), to.data());
}
