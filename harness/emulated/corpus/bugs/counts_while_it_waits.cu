// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void counts_while_it_waits(volatile int* flag, int* to) {
  int rounds = 0;
  while (*flag == 0) ++rounds;
  to[0] = rounds;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flag = zeros(device, 1), to = zeros(device, 1);
  run(device, {.block = dim3(1)}, counts_while_it_waits, flag.data(), to.data());
}
