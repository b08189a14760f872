// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void product_of_odd_sizes(const float* a, const float* b, float* c, int m, int n,
                                     int k) {
  __shared__ float at[8][9], bt[8][9];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * 8 + y,
            column = static_cast<int>(blockIdx.x) * 8 + x;
  float sum = 0;
  for (int first = 0; first < k; first += 8) {
    at[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    bt[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += at[y][i] * bt[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<float> a(device, std::vector<float>(13 * 11, 1)),
      b(device, std::vector<float>(11 * 17, 2));
  const auto c = zeros<float>(device, 13 * 17);
  run(device, {.grid = dim3(3, 2), .block = dim3(8, 8)}, product_of_odd_sizes, a.data(), b.data(),
      c.data(), 13, 17, 11);
  expect_each(c, [](std::size_t) { return 22; });
}
