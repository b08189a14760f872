#include "harness/run/doubts.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/core.h>
#include <sched.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/process/clock.hpp"
#include "harness/run/cgroups.hpp"
#include "harness/run/fitness.hpp"

namespace ridgeline::run {
namespace {

constexpr int watched_ms = 300;

// Whoever wrote the worker: no fact that is looked at here comes near it.
constexpr double most_credible = 1e9;

std::optional<double> number_of(const record::Facts& facts, const char* name) {
  const auto found = facts.find(name);
  if (found == facts.end()) return std::nullopt;
  double value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, value);
  if (error != std::errc{} || rest != end || !(std::abs(value) < most_credible))
    return std::nullopt;
  return value;
}

std::optional<ProcessorTicks> ticks_now() {
  std::ifstream file("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return read_ticks(text, own_processors());
}

std::optional<ProcessorUse> watch_processors() {
  const auto before = ticks_now();
  process::wait(nullptr, 0, watched_ms);
  const auto after = ticks_now();
  if (!before || !after || after->all <= before->all) return std::nullopt;
  const auto all = static_cast<double>(after->all - before->all);
  return ProcessorUse{static_cast<double>(after->busy - before->busy) / all,
                      static_cast<double>(after->stolen - before->stolen) / all, after->processors,
                      processor_quota("/")};
}

void doubt_processors(std::vector<std::string>& lines, bool measures_cpu, const ProcessorUse& use) {
  const double most =
      measures_cpu ? limits::busy_share : 1 - limits::processors_of_a_feeder / use.processors;
  if (use.busy > most && use.busy > limits::busy_share)
    lines.push_back(fmt::format("other programs use {:.1f} of {}", use.busy * use.processors,
                                units::plural(use.processors, "processor")));
  if (use.stolen > limits::stolen_share)
    lines.push_back(fmt::format("{} of the processors' time goes to other virtual machines",
                                units::percent(use.stolen)));
  if (use.quota && *use.quota < (measures_cpu ? use.processors : limits::processors_of_a_feeder))
    lines.push_back(fmt::format("a quota allows the time of {:.2f} of {}", *use.quota,
                                units::plural(use.processors, "processor")));
}

void doubt_gpu(std::vector<std::string>& lines, const record::Device& device) {
  const auto held = device.recorded.find("clocks_at_rest_held_by");
  if (held != device.recorded.end() && !held->second.empty())
    lines.push_back(fmt::format("clocks are held down at rest: {}", printable(held->second)));
  if (const auto others = number_of(device.recorded, "processes_at_rest_of_others");
      others && *others >= 1)
    lines.push_back(fmt::format(
        "{} on the GPU", units::plural(static_cast<std::int64_t>(*others), "other process")));
  if (const auto heat = number_of(device.recorded, "temperature_at_rest_c");
      heat && *heat >= limits::hot_c)
    lines.push_back(fmt::format("the GPU is at {:.0f} C before it works", *heat));
  const auto lowered = [&](const char* fact, const char* usual_fact, const char* what,
                           const char* unit) {
    const auto now = number_of(device.comparable, fact),
               usual = number_of(device.recorded, usual_fact);
    if (now && usual && *now < *usual)
      lines.push_back(
          fmt::format("the {} is {:.0f} {}, by default {:.0f} {}", what, *now, unit, *usual, unit));
  };
  lowered("application_sm_clock_mhz", "default_application_sm_clock_mhz", "application clock",
          "MHz");
  lowered("power_limit_w", "default_power_limit_w", "power limit", "W");
}

}  // namespace

std::set<int> own_processors() {
  std::set<int> own;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) own.insert(i);
  return own;
}

std::optional<ProcessorTicks> read_ticks(std::string_view stat, const std::set<int>& wanted) {
  std::istringstream lines{std::string(stat)};
  ProcessorTicks sum;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    int number = 0;
    // The rest, guest time, is counted in `user` and `nice` already.
    long long user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, softirq = 0, steal = 0;
    words >> number >> user >> nice >> system >> idle >> waits >> irq >> softirq >> steal;
    if (!words || !wanted.contains(number)) continue;
    const long long busy = user + nice + system + irq + softirq;
    sum.busy += busy;
    sum.stolen += steal;
    sum.all += busy + steal + idle + waits;
    ++sum.processors;
  }
  if (sum.processors == 0) return std::nullopt;
  return sum;
}

std::vector<std::string> doubts(const record::Device& device,
                                const std::optional<ProcessorUse>& use) {
  std::vector<std::string> lines;
  if (use) doubt_processors(lines, device.kind == DeviceKind::cpu, *use);
  if (device.kind == DeviceKind::cuda) doubt_gpu(lines, device);
  return lines;
}

std::vector<std::string> look_for_doubts(const record::Device& device) {
  const bool has_times = device.kind == DeviceKind::cpu || device.kind == DeviceKind::cuda;
  if (!has_times) return {};
  return doubts(device, watch_processors());
}

}  // namespace ridgeline::run
