#include "harness/emulated/results_digest.hpp"

#include <atomic>
#include <cstring>

namespace ridgeline::emulated {

static std::atomic<std::uint64_t> digest{0};

void ResultsDigest::add(const void* memory, std::size_t bytes) {
  std::uint64_t sum = bytes;
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(memory) + at,
                bytes - at < sizeof word ? bytes - at : sizeof word);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 32;
  }
  digest = (digest ^ sum) * 0x9E3779B97F4A7C15u;
}

std::uint64_t ResultsDigest::value() { return digest; }

}  // namespace ridgeline::emulated
