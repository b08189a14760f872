// bug: uninitialised (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

struct Pair {
  int key;
  double value;
};
__global__ void uninitialised_struct_in_shared_memory(Pair* to) {
  __shared__ Pair tile[33];
  tile[threadIdx.x].key = 1;
  __syncthreads();
  const Pair next = tile[threadIdx.x + 1];
  to[threadIdx.x] = next;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<Pair> to(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_struct_in_shared_memory, to.data());
}
