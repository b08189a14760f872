// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Blocks take tiles until there are none. Flag and value are one word, so that no fence is needed,
// though a block stores several words, and the tickets are taken behind some of them.
__global__ void packed_words_of_busy_blocks(const int* from, unsigned* tickets,
                                            volatile unsigned long long* words, int tiles) {
  if (threadIdx.x != 0) return;
  for (;;) {
    const int tile = static_cast<int>(atomicAdd(tickets, 1));
    if (tile >= tiles) return;
    int sum = from[tile];
    for (int before = tile - 1; before >= 0;) {
      const unsigned long long word = words[before];
      if (word >> 32 == 0) continue;
      sum += static_cast<int>(word & 0xFFFFFFFFu);
      if (word >> 32 == 2) break;
      --before;
    }
    words[tile] = (tile % 3 == 0 ? 2ull : 1ull) << 32 |
                  static_cast<unsigned>(tile % 3 == 0 ? sum : from[tile]);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 40);
  const auto words = zeros<unsigned long long>(device, 40);
  const auto tickets = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, packed_words_of_busy_blocks, from.data(),
      tickets.data(), words.data(), 40);
}
