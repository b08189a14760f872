// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ __attribute__((noinline)) int sum_to(const int* from, int n) {
  return n < 0 ? 0 : from[n] + sum_to(from, n - 1);
}
__global__ void small_recursion(const int* from, int* to) {
  to[threadIdx.x] = sum_to(from, static_cast<int>(threadIdx.x));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 40), to = zeros(device, 40);
  run(device, {.block = dim3(40)}, small_recursion, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i * (i + 1) / 2; });
}
