// bug: read-only load of what the kernel stores
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void read_only_load_of_own_byte(unsigned char* a, int* to) {
  a[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  to[threadIdx.x] = __ldg(&a[threadIdx.x]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto a = zeros<unsigned char>(device, 64);
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, read_only_load_of_own_byte, a.data(), to.data());
}
