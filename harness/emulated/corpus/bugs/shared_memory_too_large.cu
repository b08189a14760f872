// bug: too much shared memory
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shared_memory_too_large(int* to) { to[threadIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32), .shared_bytes = 300 << 10}, shared_memory_too_large, to.data());
}
