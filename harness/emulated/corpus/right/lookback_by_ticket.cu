// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lookback_by_ticket(const int* from, unsigned* next, volatile int* flags, int* sums,
                                   int* ends, int* to) {
  __shared__ unsigned part;
  __shared__ int before, s[32];
  if (threadIdx.x == 0) part = atomicAdd(next, 1u);
  __syncthreads();
  const unsigned lane = threadIdx.x;
  int value = from[part * 32 + lane];
  for (unsigned step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFFu, value, step);
    if (lane >= step) value += other;
  }
  s[lane] = value;
  __syncthreads();
  if (lane == 0) {
    const int all = s[31];
    int sum = 0;
    sums[part] = all;
    __threadfence();
    flags[part] = 1;
    for (int at = static_cast<int>(part) - 1; at >= 0; --at) {
      int flag;
      do flag = flags[at];
      while (flag == 0);
      __threadfence();
      if (flag == 2) {
        sum += ends[at];
        break;
      }
      sum += sums[at];
    }
    before = sum;
    ends[part] = sum + all;
    __threadfence();
    flags[part] = 2;
  }
  __syncthreads();
  to[part * 32 + lane] = before + value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 640), flags = zeros(device, 20), sums = zeros(device, 20),
             ends = zeros(device, 20), to = zeros(device, 640);
  const auto next = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(20), .block = dim3(32)}, lookback_by_ticket, from.data(), next.data(),
      flags.data(), sums.data(), ends.data(), to.data());
  expect_each(to, [](std::size_t i) { return i * (i + 1) / 2; });
}
