// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Volatile words behind a flag of atomics, and under a lock that is given back behind a fence.
__global__ void flags_and_locks_with_fences(const int* from, volatile int* data, int* flag,
                                            volatile int* most, int* lock) {
  const int mine = from[blockIdx.x];
  if (blockIdx.x == 0) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (mine + data[31] > most[0]) most[0] = mine + data[31];
  __threadfence();
  atomicExch(lock, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 16), data = zeros(device, 32), flag = zeros(device, 1),
             most = zeros(device, 1), lock = zeros(device, 1);
  run(device, {.grid = dim3(16), .block = dim3(32)}, flags_and_locks_with_fences, from.data(),
      data.data(), flag.data(), most.data(), lock.data());
  expect_each(most, [](std::size_t) { return 15 + 31; });
}
