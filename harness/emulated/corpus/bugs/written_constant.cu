// bug: invalid address
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

const int table_of_written_constant[4] = {1, 2, 3, 4};
__global__ void written_constant(int* to, int i) {
  const_cast<int*>(table_of_written_constant)[i] = 5;
  to[threadIdx.x] = table_of_written_constant[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, written_constant, to.data(), 2);
}
