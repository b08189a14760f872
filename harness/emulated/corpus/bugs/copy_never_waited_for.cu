// bug: copy never waited for
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copy_never_waited_for(const float* from) {
  __shared__ float s[128];
  emulated::copy_async(s + 4 * threadIdx.x, from + 4 * threadIdx.x, true);
  emulated::copy_commit();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 128);
  run(device, {.block = dim3(32)}, copy_never_waited_for, from.data());
}
