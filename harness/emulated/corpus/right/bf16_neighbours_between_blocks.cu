// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void bf16_neighbours_between_blocks(const __nv_bfloat16* from, __nv_bfloat16* to,
                                               int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i > 0 && i < n) {
    const __nv_bfloat16 mine = from[i], before = from[i - 1];
    const __nv_bfloat16 value = __float2bfloat16(__bfloat162float(mine) - __bfloat162float(before));
    to[i] = value;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = zeros<__nv_bfloat16>(device, 99), to = zeros<__nv_bfloat16>(device, 99);
  run(device, {.grid = dim3(9), .block = dim3(11)}, bf16_neighbours_between_blocks, from.data(),
      to.data(), 99);
}
