// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_reverse(const int* from, int* to) {
  __shared__ int s[64];
  s[threadIdx.x] = from[threadIdx.x];
  to[threadIdx.x] = s[63 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, race_reverse, from.data(), to.data());
}
