// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void pointer_into_the_middle(const int* middle, int* to) {
  const int i = static_cast<int>(threadIdx.x);
  to[i] = middle[-i] + middle[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 65), to = zeros(device, 33);
  run(device, {.block = dim3(33)}, pointer_into_the_middle, from.data() + 32, to.data());
  expect_each(to, [](std::size_t) { return 64; });
}
