// bug: read-only load of what the kernel stores
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The barrier orders the threads, and not the cache that __ldg() reads through.
__global__ void read_only_load_of_what_is_stored(int* a, int* to) {
  a[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = __ldg(&a[63 - threadIdx.x]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto a = zeros(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, read_only_load_of_what_is_stored, a.data(), to.data());
}
