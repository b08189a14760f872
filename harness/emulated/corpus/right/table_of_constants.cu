// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__constant__ const int squares_of_table_of_constants[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__global__ void table_of_constants(const int* from, int* to) {
  to[threadIdx.x] = squares_of_table_of_constants[from[threadIdx.x] % 8];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, table_of_constants, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i % 8 * (i % 8); });
}
