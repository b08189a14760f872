// bug: host code touches memory of the device
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void host_dereferences(int* data) { data[threadIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 32);
  run(device, {.block = dim3(32)}, host_dereferences, data.data());
  const int first = data.data()[0];
  device::expect(first == 1, "the first");
  device.synchronize();
}
