// bug: uninitialised (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// A tree for 128 threads, in a block of 96: its first step reads what nobody has written.
__global__ void uninitialised_half_of_a_tree(const int* from, int* to) {
  __shared__ int most[128];
  most[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half && most[threadIdx.x + half] > most[threadIdx.x])
      most[threadIdx.x] = most[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *to = most[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 96), to = zeros(device, 1);
  run(device, {.block = dim3(96)}, uninitialised_half_of_a_tree, from.data(), to.data());
}
