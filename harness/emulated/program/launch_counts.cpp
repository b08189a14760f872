#include "harness/emulated/program/launch_counts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/emulated/counting.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::program {

// By how much launches differ before it is told.
constexpr double least_factor = 1.5;

void LaunchCounts::add(const emulated::Report& report, std::uint64_t launch,
                       const std::string& sizes) {
  for (const emulated::Site& site : report.sites) {
    const std::uint64_t needed = site.space == emulated::Space::global   ? site.sectors
                                 : site.space == emulated::Space::shared ? site.wavefronts
                                                                         : 0;
    if (needed == 0 || site.requests == 0 || site.lanes == 0) continue;
    Access& access = accesses_[{report.kernel, site.pc, site.space, site.act, site.bytes}];
    const double per_request = static_cast<double>(needed) / static_cast<double>(site.requests),
                 per_lane = static_cast<double>(needed) / static_cast<double>(site.lanes);
    const bool is_first = access.launches++ == 0;
    if (is_first || per_request > access.most.per_request)
      access.most = {launch, sizes, per_request, per_lane};
    if (is_first || per_lane < access.least.per_lane)
      access.least = {launch, sizes, per_request, per_lane};
  }
}

std::vector<VaryingAccess> LaunchCounts::varying() const {
  // Of requests of fewer lanes, each lane needs more, and of those of more lanes, each request:
  // only what needs more both ways varies.
  const auto factor = [](const Access& access) {
    return std::min(access.most.per_request / access.least.per_request,
                    access.most.per_lane / access.least.per_lane);
  };
  std::vector<std::uint32_t> pcs;
  for (const auto& [place, access] : accesses_)
    if (factor(access) >= least_factor) pcs.push_back(std::get<std::uint32_t>(place));
  const std::map<std::uint32_t, emulated::SourceLine> lines = emulated::source_lines(pcs);
  std::map<std::tuple<std::string, std::string, int, std::string, int>,
           std::pair<double, VaryingAccess>>
      found;
  for (const auto& [place, access] : accesses_) {
    if (factor(access) < least_factor) continue;
    const auto& [kernel, pc, space, act, bytes] = place;
    const auto& [file, line] = lines.at(pc);
    const std::string &name = emulated::function_name(kernel),
                      of = emulated::access_name(space, act);
    auto& [known, varying] = found[{name, file, line, of, bytes}];
    if (known >= factor(access)) continue;
    known = factor(access);
    const auto told = [](const Of& one) {
      return VaryingAccess::Of{one.launch, one.sizes, one.per_request};
    };
    varying = {name,
               file,
               line,
               of,
               bytes,
               space == emulated::Space::global ? "sectors" : "wavefronts",
               access.launches,
               told(access.most),
               told(access.least)};
  }
  std::vector<VaryingAccess> all;
  for (auto& [place, each] : found) all.push_back(std::move(each.second));
  return all;
}

std::string text_of(const std::vector<VaryingAccess>& varying) {
  std::string text;
  for (const VaryingAccess& each : varying)
    text += fmt::format(
        "{}{}, {} {} B: {:.2f} {} a request in launch {}, {}, the most of {} launches; {:.2f} in "
        "launch {}, {}\n",
        each.kernel, each.file.empty() ? "" : fmt::format(" at {}:{}", each.file, each.line),
        each.access, each.lane_bytes, each.most.per_request, each.unit, each.most.launch,
        each.most.sizes, each.launches, each.least.per_request, each.least.launch,
        each.least.sizes);
  return text;
}

}  // namespace ridgeline::program
