// bug: host memory
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void host_pointer(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const std::vector<int> from(32, 1);
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, host_pointer, from.data(), to.data());
}
