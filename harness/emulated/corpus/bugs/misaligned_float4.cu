// bug: misaligned
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void misaligned_float4(const float* from, float4* to) {
  to[threadIdx.x] = *reinterpret_cast<const float4*>(from + threadIdx.x);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = zeros<float>(device, 64), to = zeros<float>(device, 128);
  run(device, {.block = dim3(32)}, misaligned_float4, from.data(),
      reinterpret_cast<float4*>(to.data()));
}
