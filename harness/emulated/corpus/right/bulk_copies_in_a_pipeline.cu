// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void bulk_copies_in_a_pipeline(const float* from, float* to, int rounds) {
  __shared__ std::uint64_t full[2], empty[2];
  __shared__ __align__(128) float s[2][64];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      emulated::barrier_init(full + i, 1);
      emulated::barrier_init(empty + i, 64);
    }
    emulated::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 64) {
    if (threadIdx.x != 64) return;
    for (int round = 0; round < rounds; ++round) {
      const int at = round % 2;
      if (round >= 2) emulated::barrier_wait(empty + at, static_cast<unsigned>(round / 2 - 1) & 1);
      emulated::barrier_arrive(full + at, 1, 256);
      emulated::bulk_load(s[at], from + 64 * round, 256, full + at);
    }
    return;
  }
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const int at = round % 2;
    emulated::barrier_wait(full + at, static_cast<unsigned>(round / 2) & 1);
    sum += s[at][63 - threadIdx.x];
    emulated::barrier_arrive(empty + at, 1, 0);
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 64 * 6), to = zeros<float>(device, 64);
  run(device, {.block = dim3(96)}, bulk_copies_in_a_pipeline, from.data(), to.data(), 6);
  expect_each(to, [](std::size_t i) { return 6 * (63 - i) + 64 * 15; });
}
