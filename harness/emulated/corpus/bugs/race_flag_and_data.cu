// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The flag is volatile, and nothing orders what it stands for.
__global__ void race_flag_and_data(int* data, volatile int* flag, int* to) {
  if (threadIdx.x == 0) {
    data[0] = 42;
    *flag = 1;
  }
  if (threadIdx.x == 32) {
    while (*flag == 0) {
    }
    to[0] = data[0];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 1), flag = zeros(device, 1), to = zeros(device, 1);
  run(device, {.block = dim3(64)}, race_flag_and_data, data.data(), flag.data(), to.data());
}
