// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lists_built_by_exchanges(int* heads, int* next) {
  const int i = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  next[i] = atomicExch(&heads[i % 4], i);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> heads(device, std::vector<int>(4, -1));
  const auto next = zeros(device, 64);
  run(device, {.grid = dim3(2), .block = dim3(32)}, lists_built_by_exchanges, heads.data(),
      next.data());
  const std::vector<int> of = next.download();
  int count = 0;
  for (int at : heads.download())
    for (; at >= 0; at = of[static_cast<std::size_t>(at)]) ++count;
  device::expect(count == 64, "the lists");
}
