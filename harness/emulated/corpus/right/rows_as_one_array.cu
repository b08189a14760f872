// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Rows of one array lie one behind the other, so an index may go beyond its row.
__global__ void rows_as_one_array(int* to) {
  __shared__ int tile[4][16];
  tile[0][threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x / 16][threadIdx.x % 16] + tile[0][63 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, rows_as_one_array, to.data());
  expect_each(to, [](std::size_t) { return 63; });
}
