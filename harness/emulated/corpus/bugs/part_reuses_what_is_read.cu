// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// The producers do not wait until the consumers have read the tile before.
__global__ void part_reuses_what_is_read(const int* from, int* to, int tiles) {
  constexpr unsigned full = 1, all = 128;
  __shared__ int tile[64];
  const unsigned at = threadIdx.x % 64;
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x < 64) {
      tile[at] = from[64 * i + static_cast<int>(at)];
      emulated::barrier_sync_named(full, all);
    } else {
      emulated::barrier_sync_named(full, all);
      sum += tile[63 - at];
    }
  }
  if (threadIdx.x >= 64) to[at] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 256), to = zeros(device, 64);
  run(device, {.block = dim3(128)}, part_reuses_what_is_read, from.data(), to.data(), 4);
}
