// bug: race (write after read)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Steps are told apart, but within one a lane stores what another still reads.
__global__ void race_volatile_write_after_read(const int* from, int* to) {
  __shared__ volatile int s[64];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  s[i + 32] = from[i + 32];
  __syncwarp();
  for (unsigned step = 32; step > 0; step /= 2) {
    s[i] = s[i] + s[i + step];
    __syncwarp();
  }
  if (i == 0) to[0] = s[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, race_volatile_write_after_read, from.data(), to.data());
}
