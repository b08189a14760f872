#include "harness/device/emulated/machine.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace ridgeline::device::emulated {
namespace {

/// Adds what the blocks of one OS thread did. Of a finding, the instance of the first block is kept.
void add(Report& to, Report from) {
  to.accesses += from.accesses;
  to.barriers += from.barriers;
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

Machine::Machine(const Limits& limits, const Settings& settings) : limits_(limits), settings_(settings) {}
Machine::~Machine() = default;

const Report& Machine::launch(const LaunchConfig& config, const KernelCall& call) {
  check(config, limits_);
  memory_.begin_launch();
  const std::uint64_t blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  Report report;
  report.config = config;
  report.kernel = reinterpret_cast<std::uint64_t>(call.kernel);
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex together;
  std::exception_ptr failure;
  const auto work = [&](Block& block) {
    try {
      block.begin(config, call, settings_.seed);
      while (!stopped) {
        const std::uint64_t number = next++;
        if (number >= blocks) break;
        if (!block.run(number)) stopped = true;
      }
      const std::lock_guard lock(together);
      add(report, block.end());
    } catch (...) {
      stopped = true;
      const std::lock_guard lock(together);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    const std::uint64_t wanted = std::min<std::uint64_t>(static_cast<std::uint64_t>(settings_.workers), blocks);
    for (std::uint64_t i = 1; i < wanted; ++i)
      others.emplace_back([&] {
        Block block(memory_, variables_, limits_);  // on its thread, whose variables it uses
        work(block);
      });
    if (!here_) here_ = std::make_unique<Block>(memory_, variables_, limits_);
    work(*here_);
  }
  if (failure) std::rethrow_exception(failure);
  std::ranges::sort(report.sites, {}, [](const Site& site) { return std::tuple(site.pc, site.space, site.act); });
  std::ranges::sort(report.findings, {}, [](const Finding& f) { return std::tuple(f.pc, f.check); });
  reports_.push_back(std::move(report));
  return reports_.back();
}

std::vector<Report> Machine::take_reports() { return std::exchange(reports_, {}); }

}  // namespace ridgeline::device::emulated
