// bug: stack overflow
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ __attribute__((noinline)) int deeper(const int* from, int depth) {
  volatile int here = from[depth % 4];
  return depth < 0 ? here : deeper(from, depth + 1) + here;
}
__global__ void recursion_without_end(const int* from, int* to) {
  to[threadIdx.x] = deeper(from, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 4), to = zeros(device, 32);
  run(device, {.block = dim3(32)}, recursion_without_end, from.data(), to.data());
}
