// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void empty_launch(int* to) { *to = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(0), .block = dim3(32)}, empty_launch, to.data());
  run(device, {.grid = dim3(1), .block = dim3(1)}, empty_launch, to.data());
}
