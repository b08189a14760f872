#include "harness/catalogue/link.hpp"

#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

namespace ridgeline::catalogue {
namespace {

// Bit/s of data per lane, by generation.
constexpr std::array lane_bits{2.5e9 * 8 / 10,   5e9 * 8 / 10,     8e9 * 128 / 130,
                               16e9 * 128 / 130, 32e9 * 128 / 130, 64e9 * 242 / 256};

/// A whole number below `limit`; 0 for anything else.
unsigned count_in(std::string_view text, unsigned limit = 100) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value < limit ? value : 0;
}

/// "18 x 26562 MB/s", in B/s; 0 for anything else.
double nvlink_rate(std::string_view text) {
  constexpr std::string_view between = " x ", unit = " MB/s";
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos || !text.ends_with(unit)) return 0;
  text.remove_suffix(unit.size());
  if (at + between.size() > text.size()) return 0;
  return 1e6 * count_in(text.substr(0, at)) *
         count_in(text.substr(at + between.size()), 10'000'000);
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

std::vector<record::Roof> peer_roofs(const record::Facts& facts) {
  const auto fact = [&](const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string() : found->second;
  };
  if (!fact("direct_peers").starts_with("cuda:")) return {};
  const std::string nvlink = fact("nvlink");
  double rate = nvlink_rate(nvlink);
  std::string source = "NVLink " + nvlink;
  if (nvlink.empty() || nvlink == "none active") {
    const auto link = link_roof(fact("pcie"));
    if (link) std::tie(rate, source) = std::pair(link->value, link->source);
  }
  if (!(rate > 0)) return {};
  return {{"link.to_peer", rate, "B/s", source},
          {"link.from_peer", rate, "B/s", source},
          {"link.both_ways", 2 * rate, "B/s", source}};
}

}  // namespace ridgeline::catalogue
