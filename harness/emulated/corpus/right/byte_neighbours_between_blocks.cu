// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void byte_neighbours_between_blocks(unsigned char* image, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) image[i] = static_cast<unsigned char>(255 - image[i]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto image = zeros<unsigned char>(device, 100);
  run(device, {.grid = dim3(20), .block = dim3(5)}, byte_neighbours_between_blocks, image.data(),
      100);
  expect_each(image, [](std::size_t) { return 255; });
}
