#include "harness/catalogue/link.hpp"

#include <array>
#include <charconv>
#include <string>
#include <system_error>

namespace ridgeline::catalogue {
namespace {

// Bit/s of data per lane, by generation.
constexpr std::array lane_bits{2.5e9 * 8 / 10,   5e9 * 8 / 10,     8e9 * 128 / 130,
                               16e9 * 128 / 130, 32e9 * 128 / 130, 64e9 * 242 / 256};

/// A whole number of at most two digits; 0 for anything else.
unsigned count_in(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value < 100 ? value : 0;
}

}  // namespace

std::optional<record::Roof> link_roof(std::string_view link) {
  constexpr std::string_view between = " x";
  const std::size_t at = link.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const unsigned generation = count_in(link.substr(0, at)),
                 lanes = count_in(link.substr(at + between.size()));
  if (generation == 0 || generation > lane_bits.size() || lanes == 0 || lanes > 32)
    return std::nullopt;
  return record::Roof{"link", lane_bits[generation - 1] / 8 * lanes, "B/s",
                      "PCI Express " + std::string(link)};
}

}  // namespace ridgeline::catalogue
