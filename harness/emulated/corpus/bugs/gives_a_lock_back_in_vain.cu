// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Takes the first lock and gives it back, as long as the second one cannot be had. It never can.
__global__ void gives_a_lock_back_in_vain(int* locks, int* to) {
  while (atomicCAS(locks, 0, 1) == 0) {
    if (atomicCAS(locks + 1, 0, 1) == 0) break;
    atomicExch(locks, 0);
  }
  to[0] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> locks(device, std::vector<int>{0, 1});
  const auto to = zeros(device, 1);
  run(device, {.block = dim3(1)}, gives_a_lock_back_in_vain, locks.data(), to.data());
}
