// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void reads_the_clock_while_it_waits(volatile int* flag, long long* to) {
  long long now = 0;
  while (*flag == 0) now = clock64();
  to[0] = now;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flag = zeros(device, 1);
  const auto to = zeros<long long>(device, 1);
  run(device, {.block = dim3(1)}, reads_the_clock_while_it_waits, flag.data(), to.data());
}
