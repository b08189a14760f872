// bug: division by zero
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void division_by_zero(const int* by, int* to) {
  to[threadIdx.x] = 100 / by[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto by = numbers(device, 32), to = zeros(device, 32);
  run(device, {.block = dim3(32)}, division_by_zero, by.data(), to.data());
}
