// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Each atomic finds what it found before.
__global__ void free_lock_taken_many_times(int* lock, int* to, int n) {
  for (int i = 0; i < n; ++i) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    to[i] = i;
    __threadfence();
    atomicExch(lock, 0);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr int n = 5000;
  const auto lock = zeros(device, 1), to = zeros(device, n);
  run(device, {.block = dim3(1)}, free_lock_taken_many_times, lock.data(), to.data(), n);
  expect_each(to, [](std::size_t i) { return i; });
}
