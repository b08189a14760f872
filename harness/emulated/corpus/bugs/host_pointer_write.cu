// bug: host memory
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void host_pointer_write(int* to) { to[threadIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  std::vector<int> to(32);
  run(device, {.block = dim3(32)}, host_pointer_write, to.data());
}
