#include "harness/emulated/counting.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "harness/emulated/kernel_resources.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::emulated {
std::string access_name(Space space, Act act) {
  if (space == Space::tensor) return "tensor";
  if (space == Space::bulk) return act == Act::read ? "bulk load" : "bulk store";
  const std::string where = space == Space::global   ? "global "
                            : space == Space::shared ? "shared "
                                                     : "cluster ";
  switch (act) {
    case Act::read:
      return where + "load";
    case Act::write:
      return where + "store";
    case Act::atomic:
      return where + "atomic";
    default:
      return where + "async copy";
  }
}

void Counting::add(const Report& report) {
  const dim3 grid = report.config.grid, block = report.config.block;
  ++counts_.launches;
  counts_.threads += std::uint64_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
  counts_.barriers += report.barriers;
  counts_.has_unit = counts_.has_unit || report.has_unit;
  const std::array<unsigned, 3> grid_size{grid.x, grid.y, grid.z},
      block_size{block.x, block.y, block.z};
  const auto same = std::ranges::find_if(launched_, [&](const Launched& other) {
    return other.kernel == report.kernel && other.count.grid == grid_size &&
           other.count.block == block_size &&
           other.count.dynamic_shared_bytes == report.config.shared_bytes;
  });
  if (same != launched_.end()) {
    ++same->count.launches;
  } else {
    device::LaunchCount count;
    count.grid = grid_size;
    count.block = block_size;
    count.dynamic_shared_bytes = report.config.shared_bytes;
    count.launches = 1;
    launched_.push_back({report.kernel, std::move(count)});
  }
  counts_.dram_read_bytes += report.dram_read_bytes;
  counts_.dram_written_bytes += report.dram_written_bytes;
  counts_.bytes_in_flight_per_warp =
      std::max(counts_.bytes_in_flight_per_warp, report.in_flight_bytes);
  for (const Site& site : report.sites)
    sites_[{report.kernel, site.pc, site.space, site.act, site.bytes}].add_counts(site);
}

device::Counts Counting::take() {
  std::vector<std::uint32_t> pcs;
  for (const auto& [place, site] : sites_) pcs.push_back(std::get<std::uint32_t>(place));
  const std::map<std::uint32_t, SourceLine> lines = source_lines(pcs);
  // The compiler may have made several accesses of one in the source, and several places may have
  // one line.
  std::map<std::tuple<std::string, int, std::string, std::string, int>, device::SiteCount> counts;
  for (const auto& [place, site] : sites_) {
    const auto& [kernel, pc, space, act, bytes] = place;
    const SourceLine& line = lines.at(pc);
    const std::string &name = function_name(kernel), access = access_name(space, act);
    device::SiteCount& count = counts[{line.file, line.line, access, name, bytes}];
    count.kernel = name;
    count.file = line.file;
    count.line = line.line;
    count.access = access;
    count.lane_bytes = bytes;
    count.requests += site.requests;
    count.lanes += site.lanes;
    count.sectors += site.sectors;
    count.wavefronts += site.wavefronts;
  }
  sites_.clear();
  device::Counts taken = std::exchange(counts_, {});
  for (Launched& launched : std::exchange(launched_, {})) {
    // As if a call returned there.
    const std::uint32_t entry[] = {static_cast<std::uint32_t>(launched.kernel) + 1};
    launched.count.kernel = qualified_name(function_symbol(launched.kernel));
    launched.count.file = source_lines(entry).at(entry[0]).file;
    taken.kernels.push_back(std::move(launched.count));
  }
  for (auto& [key, count] : counts) taken.sites.push_back(std::move(count));
  return taken;
}

}  // namespace ridgeline::emulated
