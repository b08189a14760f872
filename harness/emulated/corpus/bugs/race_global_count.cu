// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_global_count(int* count) { *count += 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(1)}, race_global_count, count.data());
}
