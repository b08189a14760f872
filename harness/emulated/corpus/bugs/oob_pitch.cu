// bug: out of bounds (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The last row is read a column too far.
__global__ void oob_pitch(const float* image, float* to, int width, int height) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  if (x < width && y < height) to[y * width + x] = image[y * width + x + 1] - image[y * width + x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto image = zeros<float>(device, 16 * 16), to = zeros<float>(device, 16 * 16);
  run(device, {.block = dim3(16, 16)}, oob_pitch, image.data(), to.data(), 16, 16);
}
