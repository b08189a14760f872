// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// Each block waits for the other, and looks at two places in turn meanwhile.
__global__ void spin_on_two_places(volatile int* flags, int* to) {
  const int me = static_cast<int>(blockIdx.x);
  bool missing = true;
  while (missing) {
    missing = false;
    for (int i = 0; i < 2; ++i)
      if (flags[2 * (1 - me) + i] == 0) missing = true;
  }
  flags[2 * me] = flags[2 * me + 1] = 1;
  to[me] = me;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flags = zeros(device, 4), to = zeros(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(1)}, spin_on_two_places, flags.data(), to.data());
}
