#include "harness/catalogue/architectures.hpp"

#include <algorithm>

namespace ridgeline::catalogue {
namespace {

constexpr std::uint64_t kib = 1 << 10, mib = 1 << 20;
constexpr std::string_view guide =
    "CUDA C++ Programming Guide, Compute Capabilities: technical specifications; the model's "
    "whitepaper for SMs and L2";

constexpr Architecture all_architectures[] = {
    {.capability = 90,
     .model = "H100 SXM5",
     .threads_per_block = 1024,
     .cluster_blocks = 8,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .registers_per_sm = 65536,
     .shared_per_block = 227 * kib,
     .shared_per_sm = 228 * kib,
     .l1 = 256 * kib,
     .sms = 132,
     .l2 = 50 * mib,
     .source = guide},
    {.capability = 80,
     .model = "A100",
     .threads_per_block = 1024,
     .cluster_blocks = 1,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .registers_per_sm = 65536,
     .shared_per_block = 163 * kib,
     .shared_per_sm = 164 * kib,
     .l1 = 192 * kib,
     .sms = 108,
     .l2 = 40 * mib,
     .source = guide},
};

}  // namespace

std::span<const Architecture> architectures() { return all_architectures; }

std::optional<Architecture> architecture(int capability) {
  const auto* const found =
      std::ranges::find(all_architectures, capability, &Architecture::capability);
  return found == std::end(all_architectures) ? std::nullopt : std::optional(*found);
}

}  // namespace ridgeline::catalogue
