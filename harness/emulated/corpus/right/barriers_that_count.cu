// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void barriers_that_count(const int* from, int* to) {
  const int even = __syncthreads_count(from[threadIdx.x] % 2 == 0);
  const int any = __syncthreads_or(from[threadIdx.x] == 63),
            all = __syncthreads_and(from[threadIdx.x] < 63);
  to[threadIdx.x] = even + 100 * any + 1000 * all;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, barriers_that_count, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 132; });
}
