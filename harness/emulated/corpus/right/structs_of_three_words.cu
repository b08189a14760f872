// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

struct Three {
  float x, y, z;
};
__global__ void structs_of_three_words(const Three* from, Three* to) {
  const Three mine = from[threadIdx.x];
  to[threadIdx.x] = {mine.z, mine.x, mine.y};
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<Three> from(device, std::vector<Three>(40, Three{1, 2, 3})), to(device, 40);
  run(device, {.block = dim3(40)}, structs_of_three_words, from.data(), to.data());
  device::expect(to.download()[39].x == 3, "the last one");
}
