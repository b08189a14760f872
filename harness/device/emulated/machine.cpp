#include "harness/device/emulated/machine.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "harness/base/error.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/occupancy.hpp"

namespace ridgeline::device::emulated {
namespace {

/// Adds what the blocks of one OS thread did. Of a finding, the instance of the first block is kept.
void add(Report& to, Report from) {
  to.accesses += from.accesses;
  to.barriers += from.barriers;
  to.in_flight_bytes = std::max(to.in_flight_bytes, from.in_flight_bytes);
  to.completed = to.completed && from.completed;
  for (const Site& site : from.sites) {
    const auto same = std::ranges::find_if(to.sites, [&](const Site& other) {
      return other.pc == site.pc && other.space == site.space && other.act == site.act;
    });
    if (same == to.sites.end()) {
      to.sites.push_back(site);
      continue;
    }
    same->requests += site.requests;
    same->lanes += site.lanes;
    same->sectors += site.sectors;
    same->wavefronts += site.wavefronts;
  }
  for (Finding& finding : from.findings) {
    const auto same = std::ranges::find_if(
        to.findings, [&](const Finding& other) { return other.pc == finding.pc && other.check == finding.check; });
    if (same == to.findings.end()) {
      to.findings.push_back(std::move(finding));
      continue;
    }
    const std::uint64_t count = same->count + finding.count;
    if (finding.block < same->block) *same = std::move(finding);
    same->count = count;
  }
}

int workers_of(const Settings& settings) {
  if (settings.workers > 0) return settings.workers;
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::uint64_t count_of(const dim3& size) { return std::uint64_t{size.x} * size.y * size.z; }

/// As many blocks as the GPU holds at once; registers and static shared memory, which are not known here, left out.
std::uint64_t most_resident(const LaunchConfig& config, const Limits& limits) {
  Facts gpu;
  gpu.capability = 80;  // the rules of all that are emulated
  gpu.warp_size = 32;
  gpu.max_threads_per_block = limits.threads;
  gpu.max_threads_per_unit = limits.threads_per_unit;
  gpu.max_blocks_per_unit = limits.blocks_per_unit;
  gpu.shared_per_block = limits.shared_bytes;
  gpu.shared_per_unit = limits.shared_per_unit;
  const int threads = static_cast<int>(count_of(config.block));
  return static_cast<std::uint64_t>(limits.units) *
         static_cast<std::uint64_t>(theoretical_occupancy(gpu, {}, threads, config.shared_bytes).blocks);
}

/// Of the blocks that run together, the one at `place` in gang number `gang`: clusters are bricks of the grid.
std::uint64_t block_number(const LaunchConfig& config, std::uint64_t gang, std::uint64_t place) {
  const dim3 grid = config.grid, size = config.cluster;
  if (config.resident) return place;
  const std::uint64_t across = grid.x / size.x, down = grid.y / size.y;
  const std::uint64_t x = gang % across * size.x + place % size.x,
                      y = gang / across % down * size.y + place / size.x % size.y,
                      z = gang / across / down * size.z + place / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

void check(const LaunchConfig& config, const Limits& limits) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorKind::dependency, "launching a kernel failed: " + why);
  };
  const std::uint64_t threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  if (threads == 0 || threads > static_cast<std::uint64_t>(limits.threads) || config.block.z > 64)
    refuse(fmt::format("a block of {} x {} x {} threads; at most {} are possible, 64 of them along z", config.block.x,
                       config.block.y, config.block.z, limits.threads));
  if (config.grid.y > 65535 || config.grid.z > 65535 || config.grid.x > 0x7FFFFFFF)
    refuse(fmt::format("a grid of {} x {} x {} blocks; 2147483647 x 65535 x 65535 are possible", config.grid.x,
                       config.grid.y, config.grid.z));
  if (config.shared_bytes > limits.shared_bytes)
    refuse(fmt::format("{} bytes of dynamic shared memory; a block has {}", config.shared_bytes, limits.shared_bytes));
  const dim3 grid = config.grid, cluster = config.cluster;
  if (count_of(cluster) == 0 || count_of(cluster) > static_cast<std::uint64_t>(limits.cluster_blocks))
    refuse(fmt::format("a cluster of {} x {} x {} blocks; at most {} are possible", cluster.x, cluster.y, cluster.z,
                       limits.cluster_blocks));
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    refuse(fmt::format("a grid of {} x {} x {} blocks in clusters of {} x {} x {}: they do not divide it", grid.x,
                       grid.y, grid.z, cluster.x, cluster.y, cluster.z));
  if (config.resident && count_of(cluster) != 1) refuse("clusters of a resident grid are not emulated");
  if (config.resident && count_of(grid) > most_resident(config, limits))
    refuse(
        fmt::format("{} blocks shall run together; the device holds {} of {} threads with {} bytes of dynamic "
                    "shared memory",
                    count_of(grid), most_resident(config, limits), threads, config.shared_bytes));
}

}  // namespace

Site total(const Report& report, Space space, Act act) {
  Site sum{.act = act, .space = space};
  for (const Site& site : report.sites) {
    if (site.space != space || site.act != act) continue;
    sum.requests += site.requests;
    sum.lanes += site.lanes;
    sum.sectors += site.sectors;
    sum.wavefronts += site.wavefronts;
  }
  return sum;
}

Machine::Machine(const Limits& limits, const Settings& settings)
    : limits_(limits),
      settings_(settings),
      caches_(limits.l2_bytes),
      crew_([this] { return std::make_unique<Block>(memory_, variables_, limits_); }) {}
Machine::~Machine() = default;

const Report& Machine::launch(const LaunchConfig& config, const KernelCall& call) {
  check(config, limits_);
  caches_.end_launch();  // of one that was broken off
  const std::uint64_t blocks = count_of(config.grid);
  memory_.begin_launch(workers_of(settings_) > 1 && blocks > 1);
  Report report;
  report.config = config;
  report.kernel = reinterpret_cast<std::uint64_t>(call.kernel);
  std::mutex together;
  const auto run = [&](Block& block, std::uint64_t number, Gang* gang, std::size_t place) {
    const bool completed = block.run(number, gang, place);
    if (limits_.l2_bytes != 0) caches_.take_block(number, block.take_touched());
    return completed;
  };
  const auto end = [&](Block& block) {
    const std::lock_guard lock(together);
    add(report, block.end());
  };
  const std::uint64_t in_gang = config.resident ? blocks : count_of(config.cluster);
  if (in_gang == 1) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stopped{false};
    crew_.run(std::min(static_cast<std::uint64_t>(workers_of(settings_)), blocks), [&](Block& block, std::size_t) {
      block.begin(config, call, settings_.seed);
      while (!stopped) {
        const std::uint64_t number = next++;
        if (number >= blocks) break;
        if (!run(block, number, nullptr, 0)) stopped = true;
      }
      end(block);
    });
  }
  for (std::uint64_t first = 0; in_gang != 1 && first < blocks && report.completed; first += in_gang) {
    const std::uint64_t number = first / in_gang;
    Gang gang(in_gang, number, !config.resident, static_cast<int>(count_of(config.block)));
    crew_.run(in_gang, [&](Block& block, std::size_t place) {
      block.begin(config, call, settings_.seed);
      Gang::Turn turn(gang, place, block);
      if (turn.is_stopped()) return;
      const bool completed = run(block, block_number(config, number, place), &gang, place);
      end(block);
      turn.leave(completed);
    });
  }
  const CacheModel::Traffic dram = caches_.end_launch();
  report.dram_read_bytes = dram.read_bytes;
  report.dram_written_bytes = dram.written_bytes;
  std::ranges::sort(report.sites, {}, [](const Site& site) { return std::tuple(site.pc, site.space, site.act); });
  std::ranges::sort(report.findings, {}, [](const Finding& f) { return std::tuple(f.pc, f.check); });
  reports_.push_back(std::move(report));
  return reports_.back();
}

std::vector<Report> Machine::take_reports() { return std::exchange(reports_, {}); }

}  // namespace ridgeline::device::emulated
