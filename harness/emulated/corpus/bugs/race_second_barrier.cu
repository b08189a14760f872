// bug: race (write after read)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The tile is filled again while slower warps still read it.
__global__ void race_second_barrier(const int* from, int* to) {
  __shared__ int tile[64];
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = from[round * 64 + static_cast<int>(threadIdx.x)];
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 192), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, race_second_barrier, from.data(), to.data());
}
