// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void ticket_lock(unsigned* next, volatile unsigned* served, int* count) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1u);
  while (*served != mine) {
  }
  __threadfence();
  *count = *count * 2 + 1;
  __threadfence();
  *served = mine + 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto next = zeros<unsigned>(device, 1), served = zeros<unsigned>(device, 1);
  const auto count = zeros(device, 1);
  run(device, {.grid = dim3(10), .block = dim3(32)}, ticket_lock, next.data(), served.data(),
      count.data());
  expect_each(count, [](std::size_t) { return 1023; });
}
