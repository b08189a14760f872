// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// Each place gets what the last one stores.
__global__ void race_of_values_in_loops(int* found) {
  for (int i = 0; i < static_cast<int>(threadIdx.x % 5); ++i)
    found[(static_cast<int>(threadIdx.x) + i) % 8] = i;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto found = zeros(device, 8);
  run(device, {.block = dim3(32)}, race_of_values_in_loops, found.data());
}
