// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Lanes of the same key store the same value, those of others another one.
__global__ void one_value_to_several_places(const int* keys, int* to) {
  const int key = keys[threadIdx.x] % 4;
  to[key] = key * 10;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto keys = numbers(device, 32), to = zeros(device, 4);
  run(device, {.block = dim3(32)}, one_value_to_several_places, keys.data(), to.data());
  expect_each(to, [](std::size_t i) { return 10 * i; });
}
