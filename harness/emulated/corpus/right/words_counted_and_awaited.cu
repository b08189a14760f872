// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Blocks count what they have published, for the host alone: each waits for the one word that it
// needs, in which flag and value are one, so that no fence is needed.
__global__ void words_counted_and_awaited(const int* from, volatile unsigned long long* words,
                                          unsigned* published, int* to) {
  if (threadIdx.x != 0) return;
  const unsigned block = blockIdx.x;
  words[block] = 1ull << 32 | static_cast<unsigned>(from[block]);
  atomicAdd(published, 1);
  if (block == 0) return;
  unsigned long long word;
  do word = words[block - 1];
  while (word >> 32 == 0);
  to[block] = static_cast<int>(word & 0xFFFFFFFFu);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 40), to = zeros(device, 40);
  const auto words = zeros<unsigned long long>(device, 40);
  const auto published = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(40), .block = dim3(32)}, words_counted_and_awaited, from.data(),
      words.data(), published.data(), to.data());
  expect_each(to, [](std::size_t i) { return i == 0 ? 0 : i - 1; });
}
