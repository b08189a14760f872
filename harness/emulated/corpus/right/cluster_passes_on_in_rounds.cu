// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// What was read may be stored anew behind a barrier, and the last barrier holds the memory.
__global__ void cluster_passes_on_in_rounds(int* to) {
  __shared__ int mine;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    mine = round + emulated::cluster_rank();
    emulated::cluster_arrive();
    emulated::cluster_wait();
    const int next = (emulated::cluster_rank() + 1) % emulated::cluster_size();
    sum += *static_cast<int*>(emulated::in_block_of_cluster(&mine, next));
    emulated::cluster_arrive();
    emulated::cluster_wait();
  }
  to[blockIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 4);
  run(device, {.grid = dim3(4), .block = dim3(1), .cluster = dim3(4)}, cluster_passes_on_in_rounds,
      to.data());
  expect_each(to, [](std::size_t i) { return 3 + 3 * ((i + 1) % 4); });
}
