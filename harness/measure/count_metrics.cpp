#include "harness/measure/count_metrics.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::measure {
namespace {

using record::Direction;

constexpr std::uint64_t sector_bytes = 32;

/// Of sites that do the same to the same memory.
struct Traffic {
  std::uint64_t requests = 0, lanes = 0, lane_bytes = 0, sectors = 0, wavefronts = 0;

  void add(const device::SiteCount& site) {
    requests += site.requests;
    lanes += site.lanes;
    lane_bytes += site.lanes * static_cast<std::uint64_t>(site.lane_bytes);
    sectors += site.sectors;
    wavefronts += site.wavefronts;
  }
};

struct MemoryTraffic {
  Traffic loads, stores, atomics;
};

/// Of everything, by memory.
struct Totals {
  MemoryTraffic global, shared, bulk, cluster;
  Traffic lanes;  // all requests that lanes make, each once
  std::uint64_t tensor_instructions = 0;
};

/// What an access to memory, as SiteCount calls it, belongs to.
struct Access {
  std::string_view name;
  MemoryTraffic Totals::*memory;
  Traffic MemoryTraffic::*operation;
  bool by_lanes = true;  // its requests are of a warp's lanes, and counted at no other site
};
constexpr Access accesses[] = {
    {"global load", &Totals::global, &MemoryTraffic::loads},
    {"global store", &Totals::global, &MemoryTraffic::stores},
    {"global atomic", &Totals::global, &MemoryTraffic::atomics},
    {"global async copy", &Totals::global, &MemoryTraffic::loads},
    {"shared load", &Totals::shared, &MemoryTraffic::loads},
    {"shared store", &Totals::shared, &MemoryTraffic::stores},
    {"shared atomic", &Totals::shared, &MemoryTraffic::atomics},
    {"shared async copy", &Totals::shared, &MemoryTraffic::stores, false},
    {"bulk load", &Totals::bulk, &MemoryTraffic::loads, false},
    {"bulk store", &Totals::bulk, &MemoryTraffic::stores, false},
    {"cluster load", &Totals::cluster, &MemoryTraffic::loads},
    {"cluster store", &Totals::cluster, &MemoryTraffic::stores},
    {"cluster atomic", &Totals::cluster, &MemoryTraffic::atomics},
};

void add(const device::SiteCount& site, Totals& totals) {
  if (site.access == "tensor") {
    totals.tensor_instructions += site.requests;
    return;
  }
  const Access* access = std::ranges::find(accesses, site.access, &Access::name);
  if (access == std::end(accesses))
    throw Error(ErrorKind::internal,
                fmt::format("the device counted '{}', which is not a known access", site.access));
  (totals.*access->memory.*access->operation).add(site);
  if (access->by_lanes) totals.lanes.add(site);
}

class Metrics {
 public:
  void count(const char* name, std::uint64_t value, Direction direction, const char* unit = "1") {
    list.push_back({name, static_cast<double>(value), unit, direction});
  }
  void ratio(const char* name, std::uint64_t above, std::uint64_t below, Direction direction) {
    if (below != 0)
      list.push_back(
          {name, static_cast<double>(above) / static_cast<double>(below), "1", direction});
  }
  std::vector<record::Metric> list;
};

}  // namespace

std::vector<record::Metric> resource_metrics(std::span<const device::LaunchCount> kernels) {
  if (kernels.empty()) return {};
  device::KernelResources worst;
  double occupancy = 1;
  for (const device::LaunchCount& kernel : kernels) {
    if (!kernel.resources || !kernel.occupancy) return {};
    worst.registers = std::max(worst.registers, kernel.resources->registers);
    worst.spilled_bytes = std::max(worst.spilled_bytes, kernel.resources->spilled_bytes);
    worst.static_shared_bytes =
        std::max(worst.static_shared_bytes, kernel.resources->static_shared_bytes);
    occupancy = std::min(occupancy, kernel.occupancy->fraction);
  }
  return {{"registers", static_cast<double>(worst.registers), "1", Direction::lower},
          {"spilled_bytes", static_cast<double>(worst.spilled_bytes), "B", Direction::lower},
          {"static_shared_bytes", static_cast<double>(worst.static_shared_bytes), "B",
           Direction::lower},
          {"theoretical_occupancy", occupancy, "1", Direction::higher}};
}

std::vector<record::Metric> loaded_metrics(std::span<const device::LoadedKernel> kernels) {
  if (kernels.empty()) return {};
  device::LoadedKernel worst;
  for (const device::LoadedKernel& kernel : kernels) {
    worst.registers = std::max(worst.registers, kernel.registers);
    worst.local_bytes = std::max(worst.local_bytes, kernel.local_bytes);
    worst.static_shared_bytes = std::max(worst.static_shared_bytes, kernel.static_shared_bytes);
  }
  return {{"registers", static_cast<double>(worst.registers), "1", Direction::lower},
          {"local_bytes", static_cast<double>(worst.local_bytes), "B", Direction::lower},
          {"static_shared_bytes", static_cast<double>(worst.static_shared_bytes), "B",
           Direction::lower}};
}

std::vector<record::Metric> count_metrics(const device::Counts& counts) {
  Totals totals;
  for (const device::SiteCount& site : counts.sites) add(site, totals);
  const auto& [global, shared, bulk, cluster, lanes, tensor_instructions] = totals;
  Metrics metrics;
  metrics.count("global_load_requests", global.loads.requests, Direction::lower);
  metrics.count("global_load_sectors", global.loads.sectors, Direction::lower);
  metrics.ratio("global_load_sectors_per_request", global.loads.sectors, global.loads.requests,
                Direction::lower);
  metrics.count("global_store_requests", global.stores.requests, Direction::lower);
  metrics.count("global_store_sectors", global.stores.sectors, Direction::lower);
  metrics.ratio("global_store_sectors_per_request", global.stores.sectors, global.stores.requests,
                Direction::lower);
  if (bulk.loads.requests + bulk.stores.requests != 0) {
    metrics.count("bulk_load_sectors", bulk.loads.sectors, Direction::lower);
    metrics.count("bulk_store_sectors", bulk.stores.sectors, Direction::lower);
  }
  metrics.count("global_useful_bytes",
                global.loads.lane_bytes + global.stores.lane_bytes + global.atomics.lane_bytes +
                    bulk.loads.lane_bytes + bulk.stores.lane_bytes,
                Direction::none, "B");
  metrics.count("global_moved_bytes",
                sector_bytes * (global.loads.sectors + global.stores.sectors +
                                global.atomics.sectors + bulk.loads.sectors + bulk.stores.sectors),
                Direction::lower, "B");
  if (!counts.has_unit) {  // else they would be too small
    metrics.count("shared_load_wavefronts", shared.loads.wavefronts, Direction::lower);
    metrics.count("shared_store_wavefronts", shared.stores.wavefronts, Direction::lower);
  }
  metrics.ratio("shared_wavefronts_per_request", shared.loads.wavefronts + shared.stores.wavefronts,
                shared.loads.requests + shared.stores.requests, Direction::lower);
  if (const std::uint64_t requests =
          cluster.loads.requests + cluster.stores.requests + cluster.atomics.requests;
      requests != 0)
    metrics.count("cluster_requests", requests, Direction::lower);
  metrics.count("atomics", global.atomics.lanes + shared.atomics.lanes + cluster.atomics.lanes,
                Direction::lower);
  metrics.count("barriers", counts.barriers, Direction::lower);
  metrics.count("tensor_instructions", tensor_instructions, Direction::none);
  metrics.ratio("lanes_per_request", lanes.lanes, lanes.requests, Direction::higher);
  const bool caches_are_modelled = counts.dram_read_bytes + counts.dram_written_bytes != 0;
  if (caches_are_modelled) {
    metrics.count("dram_read_bytes", counts.dram_read_bytes, Direction::lower, "B");
    metrics.count("dram_written_bytes", counts.dram_written_bytes, Direction::lower, "B");
  }
  if (counts.bytes_in_flight_per_warp != 0 && !counts.has_unit)
    metrics.count("bytes_in_flight_per_warp", counts.bytes_in_flight_per_warp, Direction::higher,
                  "B");
  for (record::Metric& metric : resource_metrics(counts.kernels))
    metrics.list.push_back(std::move(metric));
  return std::move(metrics.list);
}

}  // namespace ridgeline::measure
