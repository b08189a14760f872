#include "harness/emulated/machine.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <sched.h>

#include "harness/emulated/block_turns.hpp"
#include "harness/emulated/launch_limits.hpp"

namespace ridgeline::emulated {
namespace {

/// Of the same finding, the instance of the first block is kept.
void add(std::vector<Finding>& to, std::vector<Finding> from) {
  for (Finding& finding : from) {
    const auto same = std::ranges::find_if(to, [&](const Finding& other) {
      return other.pc == finding.pc && other.check == finding.check;
    });
    if (same == to.end()) {
      to.push_back(std::move(finding));
      continue;
    }
    const std::uint64_t count = same->count + finding.count;
    if (finding.block < same->block) *same = std::move(finding);
    same->count = count;
  }
}

/// Adds what the blocks of one OS thread did.
void add(Report& to, Report from) {
  to.accesses += from.accesses;
  to.barriers += from.barriers;
  to.in_flight_bytes = std::max(to.in_flight_bytes, from.in_flight_bytes);
  to.completed = to.completed && from.completed;
  to.has_unit = to.has_unit || from.has_unit;
  for (const Site& site : from.sites) {
    const auto same = std::ranges::find_if(to.sites, [&](const Site& other) {
      return other.pc == site.pc && other.space == site.space && other.act == site.act;
    });
    if (same == to.sites.end())
      to.sites.push_back(site);
    else
      same->add_counts(site);
  }
  add(to.findings, std::move(from.findings));
  add(to.notes, std::move(from.notes));
}

int workers_of(const Settings& settings) {
  if (settings.workers > 0) return settings.workers;
  if (settings.seed != 0) return 1;
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/// Numbers of independent blocks, in an order drawn from a seed; 0: in theirs.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t blocks, std::uint64_t seed) : blocks_(blocks) {
    if (seed == 0 || blocks < 2) return;
    const std::uint64_t random = seed * 0x9E3779B97F4A7C15u;
    first_ = (random >> 32) % blocks;
    step_ = 1 + random % (blocks - 1);
    while (std::gcd(step_, blocks) != 1) ++step_;  // blocks + 1 at most
  }
  std::uint64_t operator[](std::uint64_t place) const { return (first_ + place * step_) % blocks_; }

 private:
  std::uint64_t blocks_, first_ = 0, step_ = 1;
};

/// Of the blocks that are resident together, the one at `place` in set number `set`: clusters are
/// bricks of the grid.
std::uint64_t block_number(const device::LaunchConfig& config, std::uint64_t set,
                           std::uint64_t place) {
  const dim3 grid = config.grid, size = config.cluster;
  if (config.resident) return place;
  const std::uint64_t across = grid.x / size.x, down = grid.y / size.y;
  const std::uint64_t x = set % across * size.x + place % size.x,
                      y = set / across % down * size.y + place / size.x % size.y,
                      z = set / across / down * size.z + place / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

}  // namespace

Site total(const Report& report, Space space, Act act) {
  Site sum{.act = act, .space = space};
  for (const Site& site : report.sites)
    if (site.space == space && site.act == act) sum.add_counts(site);
  return sum;
}

Machine::Machine(const Limits& limits, const Settings& settings)
    : limits_(limits),
      settings_(settings),
      caches_(limits.l2_bytes),
      pool_([this] { return std::make_unique<Block>(memory_, variables_, limits_); }) {}
Machine::~Machine() = default;

const Report& Machine::launch(const device::LaunchConfig& config, const KernelCall& call) {
  Report report;
  report.config = config;
  report.kernel = reinterpret_cast<std::uint64_t>(call.kernel);
  if (std::optional<Finding> refusal = refused(config, report.kernel, limits_, variables_)) {
    report.findings.push_back(std::move(*refusal));
    report.completed = false;
    reports_.push_back(std::move(report));
    return reports_.back();
  }
  caches_.end_launch();  // of one that was broken off
  const std::uint64_t blocks = count_of(config.grid);
  const std::uint64_t together = config.resident ? blocks : count_of(config.cluster);
  memory_.begin_launch(blocks, together == 1 && workers_of(settings_) > 1 && blocks > 1);
  std::mutex mutex;
  const auto run = [&](Block& block, std::uint64_t number, ResidentBlocks* residents,
                       std::size_t place, BlockTurns* turns = nullptr) {
    const std::uint64_t before = block.requests.lane_accesses;
    const bool completed = block.run(number, residents, place, turns);
    accesses_ += block.requests.lane_accesses - before;
    if (limits_.l2_bytes != 0) caches_.take_block(number, block.requests.lines.take());
    return completed;
  };
  const auto end = [&](Block& block) {
    const std::lock_guard lock(mutex);
    add(report, block.end());
  };
  const auto is_spent = [&] { return most_accesses_ != 0 && accesses_ >= most_accesses_; };
  const BlockOrder order(blocks, settings_.seed);
  if (together == 1 && workers_of(settings_) == 1) {
    BlockTurns* all = nullptr;
    std::uint64_t begun = 0;
    bool completed_all = true;
    BlockTurns turns(
        blocks, [&](std::uint64_t place) { return order[place]; },
        [&](std::uint64_t number) {
          Block block(memory_, variables_, limits_);
          block.begin(config, call, settings_.seed);
          ++begun;
          const bool completed = run(block, number, nullptr, 0, all);
          completed_all = completed_all && completed;
          end(block);
          return completed;
        });
    all = &turns;
    pool_.run(1, [&](Block& block, std::size_t) {
      block.begin(config, call, settings_.seed);
      for (std::uint64_t number = 0; !is_spent() && turns.next(number);) {
        ++begun;
        if (run(block, number, nullptr, 0, &turns)) continue;
        completed_all = false;
        turns.stop();
      }
      turns.finish();
      end(block);
    });
    if (completed_all && begun < blocks) report.cut_after = begun;
  } else if (together == 1) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stopped{false};
    std::atomic<std::uint64_t> run_blocks{0};
    pool_.run(std::min(static_cast<std::uint64_t>(workers_of(settings_)), blocks),
              [&](Block& block, std::size_t) {
                block.begin(config, call, settings_.seed);
                while (!stopped) {
                  if (is_spent()) break;
                  const std::uint64_t place = next++;
                  if (place >= blocks) break;
                  ++run_blocks;
                  if (!run(block, order[place], nullptr, 0)) stopped = true;
                }
                end(block);
              });
    report.cut_after =
        !stopped && run_blocks < blocks ? std::optional(run_blocks.load()) : std::nullopt;
  }
  for (std::uint64_t first = 0; together != 1 && first < blocks && report.completed;
       first += together) {
    const std::uint64_t number = first / together;
    ResidentBlocks residents(together, number, !config.resident,
                             static_cast<int>(count_of(config.block)));
    pool_.run(together, [&](Block& block, std::size_t place) {
      block.begin(config, call, settings_.seed);
      ResidentBlocks::Turn turn(residents, place, block);
      if (turn.is_stopped()) return;
      const bool completed = run(block, block_number(config, number, place), &residents, place);
      end(block);
      turn.leave(completed);
    });
  }
  const CacheModel::Traffic dram = caches_.end_launch();
  report.dram_read_bytes = dram.read_bytes;
  report.dram_written_bytes = dram.written_bytes;
  std::ranges::sort(report.sites, {},
                    [](const Site& site) { return std::tuple(site.pc, site.space, site.act); });
  for (std::vector<Finding>* const found : {&report.findings, &report.notes})
    std::ranges::sort(*found, {},
                      [](const Finding& f) { return std::tuple(f.follows, f.pc, f.check); });
  merge_by_line(report.findings);
  merge_by_line(report.notes);
  reports_.push_back(std::move(report));
  return reports_.back();
}

std::vector<Report> Machine::take_reports() { return std::exchange(reports_, {}); }

}  // namespace ridgeline::emulated
