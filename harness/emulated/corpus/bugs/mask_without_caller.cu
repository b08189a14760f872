// bug: collective without its caller
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mask_without_caller(int* to) {
  to[threadIdx.x] = static_cast<int>(__ballot_sync(0x0000FFFFu, 1));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, mask_without_caller, to.data());
}
