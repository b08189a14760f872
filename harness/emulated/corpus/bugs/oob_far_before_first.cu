// bug: out of bounds (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_far_before_first(int* data) { data[static_cast<int>(threadIdx.x) - 70000] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 64);
  run(device, {.block = dim3(1)}, oob_far_before_first, data.data());
}
