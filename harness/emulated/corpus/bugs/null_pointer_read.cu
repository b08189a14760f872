// bug: null pointer
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void null_pointer_read(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, null_pointer_read, static_cast<const int*>(nullptr), to.data());
}
