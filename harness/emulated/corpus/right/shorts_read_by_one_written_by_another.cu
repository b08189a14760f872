// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Both halves of a word change hands in another order.
__global__ void shorts_read_by_one_written_by_another(unsigned short* data) {
  const unsigned i = blockIdx.x;
  const unsigned short mine = data[i];
  data[i] = static_cast<unsigned short>(mine + data[i]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros<unsigned short>(device, 64);
  run(device, {.grid = dim3(64), .block = dim3(1)}, shorts_read_by_one_written_by_another,
      data.data());
}
