// bug: uninitialised (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void uninitialised_third_of_three_filled(float3* to) {
  to[threadIdx.x].x = to[threadIdx.x].y = 1;
}
__global__ void uninitialised_third_of_three(const float3* from, float3* to) {
  const float3 mine = from[threadIdx.x];
  to[threadIdx.x] = mine;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<float3> from(device, 32), to(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_third_of_three_filled, from.data());
  run(device, {.block = dim3(32)}, uninitialised_third_of_three, from.data(), to.data());
}
