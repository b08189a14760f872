// bug: out of bounds (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The product has more than 31 bits.
__global__ void oob_int_overflow(int* data, int row, int pitch) {
  data[static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(pitch))] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 64);
  run(device, {.block = dim3(1)}, oob_int_overflow, data.data(), 70000, 40000);
}
