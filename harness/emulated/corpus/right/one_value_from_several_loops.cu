// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// As in a search by levels: whoever finds a neighbour says so, also twice, and all say the same.
__global__ void one_value_from_several_loops(int* found, char* changed, int n) {
  __shared__ int any[4];
  for (int i = 0; i < static_cast<int>(threadIdx.x % 5); ++i) {
    found[(static_cast<int>(threadIdx.x) * 7 + i) % n] = 3;
    *changed = 1;
    any[(threadIdx.x + static_cast<unsigned>(i)) % 4] = 5;
  }
  __syncthreads();
  if (threadIdx.x < 4) found[n + static_cast<int>(threadIdx.x)] = any[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto found = zeros(device, 54);
  const auto changed = zeros<char>(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(64)}, one_value_from_several_loops, found.data(),
      changed.data(), 50);
}
