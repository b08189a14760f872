// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_stores_to_one_place(int* to) {
  __shared__ int last;
  if (emulated::cluster_rank() == 0) last = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (emulated::cluster_rank() != 0)
    *static_cast<int*>(emulated::in_block_of_cluster(&last, 0)) = emulated::cluster_rank();
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (emulated::cluster_rank() == 0) *to = last;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(1), .cluster = dim3(4)}, cluster_stores_to_one_place,
      to.data());
}
