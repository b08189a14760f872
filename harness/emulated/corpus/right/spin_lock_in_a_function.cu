// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

struct Lock {
  int* word;
  __device__ __forceinline__ void take() {
    while (atomicCAS(word, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __device__ __forceinline__ void give() {
    __threadfence();
    atomicExch(word, 0);
  }
};
__global__ void spin_lock_in_a_function(int* words, int* counts) {
  Lock lock{words + threadIdx.x % 4};
  for (int round = 0; round < 3; ++round) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock.word, 0, 1) == 0) {
        __threadfence();
        counts[threadIdx.x % 4] += 1;
        lock.give();
        done = true;
      }
    }
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto words = zeros(device, 4), counts = zeros(device, 4);
  run(device, {.grid = dim3(2), .block = dim3(64)}, spin_lock_in_a_function, words.data(),
      counts.data());
  expect_each(counts, [](std::size_t) { return 96; });
}
