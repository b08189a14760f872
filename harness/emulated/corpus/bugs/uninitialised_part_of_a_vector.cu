// bug: uninitialised (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A vector of four is one value: its last number is missing.
__global__ void uninitialised_part_of_a_vector_filled(float* to, int n) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 32) to[i] = 1;
}
__global__ void uninitialised_part_of_a_vector(const float4* from, float4* to) {
  float4 mine = from[threadIdx.x];
  mine.x *= 2;
  to[threadIdx.x] = mine;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<float4> from(device, 32), to(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_part_of_a_vector_filled,
      reinterpret_cast<float*>(from.data()), 4 * 32 - 1);
  run(device, {.block = dim3(32)}, uninitialised_part_of_a_vector, from.data(), to.data());
}
