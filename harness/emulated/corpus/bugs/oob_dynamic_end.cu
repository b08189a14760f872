// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_dynamic_end(int* to) {
  RIDGELINE_DYNAMIC_SHARED(int, s);
  s[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64), .shared_bytes = 63 * sizeof(int)}, oob_dynamic_end, to.data());
}
