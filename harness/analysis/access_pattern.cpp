#include "harness/analysis/access_pattern.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double sector_bytes = 32, bank_bytes = 4;
constexpr double counting_slack = 1 + 1e-9;

/// Of a site whose requests are of lanes in `memory` ("global", "shared"); absent for any other.
std::optional<double> lanes_per_request(const record::Site& site, std::string_view memory) {
  const std::string_view access = site.access;
  if (!access.starts_with(memory) || site.requests == 0 || site.lanes < site.requests ||
      site.lane_bytes <= 0)
    return std::nullopt;
  const std::string_view act = access.substr(memory.size());
  if (act != " load" && act != " store" && act != " atomic" && act != " async copy")
    return std::nullopt;
  return static_cast<double>(site.lanes) / static_cast<double>(site.requests);
}

std::optional<double> beyond(std::uint64_t counted, std::optional<double> needed) {
  if (!needed || static_cast<double>(counted) <= *needed * counting_slack) return std::nullopt;
  return static_cast<double>(counted) / *needed;
}

}  // namespace

// n lanes of b bytes side by side lie in ceil(n b / 32) sectors. That is at most the line through 1
// for one lane and one more for each 32 bytes, and at most b; the smaller of two lines is concave,
// so the mean number of lanes stands for all requests.
std::optional<double> sectors_needed(const record::Site& site) {
  const std::optional<double> lanes = lanes_per_request(site, "global");
  if (!lanes) return std::nullopt;
  const double most = std::max(1.0, static_cast<double>(site.lane_bytes));
  const double side_by_side = 1 + (*lanes - 1) * site.lane_bytes / sector_bytes;
  return std::min(most, side_by_side) * static_cast<double>(site.requests);
}

// Accesses wider than a bank go in b / 4 groups of lanes, one wavefront each, unless a group has no
// active lane.
std::optional<double> wavefronts_needed(const record::Site& site) {
  const std::optional<double> lanes = lanes_per_request(site, "shared");
  if (!lanes) return std::nullopt;
  return std::min(std::max(1.0, site.lane_bytes / bank_bytes), *lanes) *
         static_cast<double>(site.requests);
}

std::optional<double> uncoalesced(const record::Site& site) {
  return beyond(site.sectors, sectors_needed(site));
}

std::optional<double> conflicts(const record::Site& site) {
  return beyond(site.wavefronts, wavefronts_needed(site));
}

Traffic traffic(const std::vector<record::Site>& sites) {
  Traffic all;
  for (const record::Site& site : sites) {
    all.sectors += static_cast<double>(site.sectors);
    all.wavefronts += static_cast<double>(site.wavefronts);
  }
  return all;
}

std::optional<double> share(const record::Site& site, const Traffic& all) {
  if (site.sectors > 0) return static_cast<double>(site.sectors) / all.sectors;
  if (site.wavefronts > 0) return static_cast<double>(site.wavefronts) / all.wavefronts;
  return std::nullopt;
}

SiteWords in_words(const record::Site& site, const Traffic& all) {
  const auto each = [&](std::uint64_t sum, int digits) {
    if (sum == 0 || site.requests == 0) return std::string();
    return fmt::format("{:.{}f}", static_cast<double>(sum) / static_cast<double>(site.requests),
                       digits);
  };
  const auto times = [](const std::optional<double>& factor) {
    return factor ? fmt::format("{:.3g}x", *factor) : "";
  };
  const std::optional<double> part = share(site, all);
  return {.access = printable(site.access) +
                    (site.lane_bytes > 0 ? fmt::format(" {} B", site.lane_bytes) : ""),
          .sectors = each(site.sectors, 2),
          .wavefronts = each(site.wavefronts, 2),
          .lanes = each(site.lanes, 1),
          .share = !part            ? ""
                   : *part < 0.0005 ? "<0.1%"
                                    : fmt::format("{:.1f}%", 100 * *part),
          .uncoalesced = times(uncoalesced(site)),
          .conflicts = times(conflicts(site))};
}

}  // namespace ridgeline::analysis
