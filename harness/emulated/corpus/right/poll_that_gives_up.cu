// right
#include <cuda/atomic>

#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void poll_that_gives_up(int* flag, int* to, int most) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> watched(*flag);
  int polls = 0;
  while (polls < most && watched.load(cuda::memory_order_relaxed) == 0) ++polls;
  to[blockIdx.x] = polls;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flag = zeros(device, 1), to = zeros(device, 4);
  run(device, {.grid = dim3(4), .block = dim3(1)}, poll_that_gives_up, flag.data(), to.data(),
      5000);
  expect_each(to, [](std::size_t) { return 5000; });
}
