// bug: out of bounds (local)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ void insert(float (&best)[4], float value) {
  int place = 4;
  for (; place > 0 && best[place - 1] < value; --place) best[place] = best[place - 1];
  if (place < 4) best[place] = value;
}
__global__ void oob_sorted_in_registers(const float* from, float* to, int n) {
  float best[4] = {-1, -1, -1, -1};
  for (int i = 0; i < n; ++i) insert(best, from[i]);
  to[threadIdx.x] = best[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 16);
  const auto to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, oob_sorted_in_registers, from.data(), to.data(), 16);
}
