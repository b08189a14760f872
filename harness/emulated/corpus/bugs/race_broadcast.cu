// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_broadcast(const int* from, int* to) {
  __shared__ int first;
  if (threadIdx.x == 0) first = from[0];
  to[threadIdx.x] = first + 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 1), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, race_broadcast, from.data(), to.data());
}
