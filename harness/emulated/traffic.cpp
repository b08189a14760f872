#include "harness/emulated/traffic.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridgeline::emulated {
namespace {

/// Of lanes that go together: the most distinct words in one bank. Accesses are aligned to their
/// size, so that two of them have all their words in common or none: the adjacent banks of one
/// access count as one, and its words as one.
int wavefronts_of_group(std::span<const std::uint64_t> addresses, int bytes) {
  // Side by side, or all the same: no two words of a bank.
  bool plain = true;
  for (std::size_t i = 1; i < addresses.size() && plain; ++i)
    plain = addresses[i] == addresses[0] ||
            addresses[i] == addresses[0] + i * static_cast<std::uint64_t>(bytes);
  if (plain) return 1;
  const int size =
      std::countr_zero(static_cast<unsigned>(std::max(bytes, bank_bytes)));  // its logarithm
  const auto last_bank = static_cast<std::uint64_t>((banks * bank_bytes >> size) - 1);
  std::uint64_t first[banks];
  std::uint32_t seen = 0;
  bool one_word = true;  // in each bank
  for (std::size_t i = 0; i < addresses.size() && one_word; ++i) {
    const std::uint64_t word = addresses[i] >> size, bank = word & last_bank;
    one_word = (seen >> bank & 1) == 0 || first[bank] == word;
    first[bank] = word;
    seen |= 1u << bank;
  }
  if (one_word) return 1;
  std::uint64_t words[banks][banks];
  int counts[banks] = {}, most = 0;
  for (const std::uint64_t address : addresses) {
    const std::uint64_t word = address >> size;
    std::uint64_t* const in_bank = words[word & last_bank];
    int& count = counts[word & last_bank];
    if (std::find(in_bank, in_bank + count, word) != in_bank + count) continue;
    in_bank[count++] = word;
    most = std::max(most, count);
  }
  return most;
}

/// Whether every active lane reads what the lane `step` away reads, as far as that one is active.
bool paired(std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lanes,
            unsigned step) {
  if (lanes.size() == 32) {
    for (std::size_t i = 0; i < 32; ++i)
      if (addresses[i] != addresses[i ^ step]) return false;
    return true;
  }
  std::uint64_t of_lane[32] = {};
  std::uint32_t active = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    of_lane[lanes[i]] = addresses[i];
    active |= 1u << lanes[i];
  }
  return std::ranges::all_of(lanes, [&](std::uint8_t lane) {
    const unsigned other = lane ^ step;
    return (active >> other & 1) == 0 || of_lane[other] == of_lane[lane];
  });
}

}  // namespace

int sectors(std::span<const std::uint64_t> addresses) {
  std::uint64_t touched[32];
  const std::size_t n = addresses.size();
  bool ascending = true;
  int steps = n == 0 ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    touched[i] = addresses[i] / sector_bytes;
    if (i == 0) continue;
    ascending = ascending && touched[i] >= touched[i - 1];
    steps += touched[i] != touched[i - 1] ? 1 : 0;
  }
  if (ascending) return steps;
  std::sort(touched, touched + n);
  return static_cast<int>(std::unique(touched, touched + n) - touched);
}

int copied_sectors(std::span<const std::uint64_t> sources,
                   std::span<const std::uint64_t> destinations) {
  std::pair<std::uint64_t, std::uint64_t> asked[32];  // lines of the source with sectors of the
                                                      // destination
  std::size_t count = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::pair one{sources[i] / 128, destinations[i] / sector_bytes};
    if (std::find(asked, asked + count, one) == asked + count) asked[count++] = one;
  }
  return static_cast<int>(count);
}

int wavefronts(std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lanes,
               int bytes) {
  int together = bytes <= 4 ? 32 : 128 / bytes;
  if (bytes > 4 && (paired(addresses, lanes, 1) || paired(addresses, lanes, 2))) together *= 2;
  int total = 0;
  for (std::size_t first = 0; first < addresses.size();) {
    std::size_t end = first + 1;
    while (end < addresses.size() && lanes[end] / together == lanes[first] / together) ++end;
    total += wavefronts_of_group(addresses.subspan(first, end - first), bytes);
    first = end;
  }
  return total;
}

}  // namespace ridgeline::emulated
