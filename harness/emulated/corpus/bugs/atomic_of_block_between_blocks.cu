// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void atomic_of_block_between_blocks(int* count) { atomicAdd_block(count, 1); }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, atomic_of_block_between_blocks, count.data());
}
