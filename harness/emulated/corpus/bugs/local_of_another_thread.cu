// bug: local memory of another thread
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void local_of_another_thread(int* to) {
  __shared__ int* where;
  int mine[4] = {static_cast<int>(threadIdx.x), 1, 2, 3};
  if (threadIdx.x == 0) where = mine;
  __syncthreads();
  to[threadIdx.x] = where[threadIdx.x % 4] + mine[(threadIdx.x + 1) % 4];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, local_of_another_thread, to.data());
}
