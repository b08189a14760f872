// right
#include <cuda/barrier>

#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void pipeline_of_library_barriers(const int* from, int* to, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int s[2][64];
  __shared__ Barrier full[2], empty[2];
  const int i = static_cast<int>(threadIdx.x) % 64;
  if (threadIdx.x == 0)
    for (int stage = 0; stage < 2; ++stage) {
      init(&full[stage], 128);
      init(&empty[stage], 128);
    }
  __syncthreads();
  if (threadIdx.x < 64) {
    for (int round = 0; round < rounds; ++round) {
      empty[round % 2].arrive_and_wait();
      s[round % 2][i] = from[round * 64 + i];
      static_cast<void>(full[round % 2].arrive());
    }
  } else {
    for (Barrier& each : empty) static_cast<void>(each.arrive());
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      full[round % 2].arrive_and_wait();
      sum += s[round % 2][63 - i];
      static_cast<void>(empty[round % 2].arrive());
    }
    to[i] = sum;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 320), to = zeros(device, 64);
  run(device, {.block = dim3(128)}, pipeline_of_library_barriers, from.data(), to.data(), 5);
  expect_each(to, [](std::size_t i) { return 5 * (63 - i) + 640; });
}
