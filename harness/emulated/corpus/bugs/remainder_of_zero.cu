// bug: division by zero
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void remainder_of_zero(int n, int* to) {
  to[threadIdx.x] = static_cast<int>(threadIdx.x) % n;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, remainder_of_zero, 0, to.data());
}
