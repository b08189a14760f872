// bug: failed assertion
#undef NDEBUG  // which would take the assertion away
#include <cassert>

#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void failed_assertion(const int* from, int* to) {
  assert(from[threadIdx.x] < 20);
  to[threadIdx.x] = from[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 32), to = zeros(device, 32);
  run(device, {.block = dim3(32)}, failed_assertion, from.data(), to.data());
}
