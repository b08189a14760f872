// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_scan_in_place(const int* from, int* to) {
  __shared__ int s[128];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  __syncthreads();
  for (unsigned step = 1; step < 128; step *= 2) {
    if (i >= step) s[i] += s[i - step];
    __syncthreads();
  }
  to[i] = s[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 128), to = zeros(device, 128);
  run(device, {.block = dim3(128)}, race_scan_in_place, from.data(), to.data());
}
