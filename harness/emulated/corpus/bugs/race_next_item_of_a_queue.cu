// bug: race (write after read)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// A block takes items until none is left. Its first thread takes the next one while others have
/// not read the last one yet.
__global__ void race_next_item_of_a_queue(unsigned* next, int* to, unsigned items) {
  __shared__ unsigned item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1u);
    __syncthreads();
    const unsigned mine = item;
    if (mine >= items) return;
    to[mine * blockDim.x + threadIdx.x] = static_cast<int>(mine);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto next = zeros<unsigned>(device, 1);
  const auto to = zeros(device, 640);
  run(device, {.grid = dim3(2), .block = dim3(64)}, race_next_item_of_a_queue, next.data(),
      to.data(), 10u);
}
