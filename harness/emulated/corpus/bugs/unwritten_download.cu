// bug: uninitialised (download)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void unwritten_download(int* to, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n - 1) to[i] = i;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> to(device, 100);
  run(device, {.grid = dim3(4), .block = dim3(32)}, unwritten_download, to.data(), 100);
  to.download();
}
