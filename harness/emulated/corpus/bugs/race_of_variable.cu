// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ int hits_of_race_of_variable;
__global__ void race_of_variable(const int* from) {
  if (from[threadIdx.x] % 3 == 0) ++hits_of_race_of_variable;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64);
  run(device, {.block = dim3(64)}, race_of_variable, from.data());
}
