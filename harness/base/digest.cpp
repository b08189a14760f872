#include "harness/base/digest.hpp"

#include <algorithm>
#include <cstring>

namespace ridgeline {

// Each word goes through a bijection of what came before, SplitMix64's finaliser, in which each bit
// moves all others: no pattern of wrong signs or places cancels out. In four chains, because a
// processor waits for a product longer than it takes to begin the next, and outputs have megabytes.
std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t state) {
  constexpr std::size_t chains = 4, word_bytes = sizeof(std::uint64_t), step = chains * word_bytes;
  const auto mixed = [](std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  };
  std::uint64_t of[chains];
  for (std::uint64_t& chain : of) chain = state = mixed(state + 0x9E3779B97F4A7C15);
  std::size_t at = 0;
  for (; bytes.size() - at >= step; at += step) {
    std::uint64_t words[chains];
    std::memcpy(words, bytes.data() + at, step);
    for (std::size_t i = 0; i < chains; ++i) of[i] = mixed(of[i] ^ words[i]);
  }
  for (std::size_t i = 0; at < bytes.size(); at += word_bytes, ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(word_bytes, bytes.size() - at));
    of[i] = mixed(of[i] ^ word);
  }
  std::uint64_t sum = mixed(bytes.size());
  for (const std::uint64_t chain : of) sum = mixed(sum ^ chain);
  return sum;
}

}  // namespace ridgeline
