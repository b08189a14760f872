// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_through_global(int* data, int* to) {
  data[threadIdx.x] = static_cast<int>(threadIdx.x);
  to[threadIdx.x] = data[127 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 128), to = zeros(device, 128);
  run(device, {.block = dim3(128)}, race_through_global, data.data(), to.data());
}
