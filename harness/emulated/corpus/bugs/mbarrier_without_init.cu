// bug: mbarrier without initialisation
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void mbarrier_without_init(int* to) {
  __shared__ std::uint64_t full;
  emulated::barrier_arrive(&full, 1, 0);
  emulated::barrier_wait(&full, 0);
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, mbarrier_without_init, to.data());
}
