// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_shared_columns(const float* from, float* to) {
  __shared__ float tile[16][17];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  tile[y + 1][x] = from[y * 16 + x];
  __syncthreads();
  to[y * 16 + x] = y > 0 ? tile[x][y] : 0;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = zeros<float>(device, 256), to = zeros<float>(device, 256);
  run(device, {.block = dim3(16, 16)}, oob_shared_columns, from.data(), to.data());
}
