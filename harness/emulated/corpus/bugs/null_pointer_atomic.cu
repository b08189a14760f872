// bug: null pointer
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void null_pointer_atomic(int* count) { atomicAdd(count + threadIdx.x, 1); }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  run(device, {.block = dim3(32)}, null_pointer_atomic, static_cast<int*>(nullptr));
}
