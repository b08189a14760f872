// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void whole_download_of_what_was_written(int* to) {
  to[blockIdx.x * 32 + threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> to(device, 96);
  run(device, {.grid = dim3(3), .block = dim3(32)}, whole_download_of_what_was_written, to.data());
  expect_each(to, [](std::size_t) { return 1; });
}
