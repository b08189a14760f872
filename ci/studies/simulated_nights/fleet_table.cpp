#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_nights/simulated_series.hpp"
#include "ci/studies/simulated_nights/tables.hpp"
#include "harness/analysis/trend.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::analysis::trend_study {
namespace {

constexpr std::size_t step_night = 70;

/// A device whose cases have noise of their own and in common, both white, and some of which change
/// together.
struct Fleet {
  std::size_t cases, changing;
  double common;  // standard deviation of the noise that all cases share
  double step;    // relative
};
constexpr Fleet fleets[] = {{30, 30, 0, .02},      {100, 100, 0, .02},    {100, 50, 0, .02},
                            {250, 250, 0, .02},    {100, 100, 0, .03},    {100, 50, 0, .03},
                            {100, 100, .003, .02}, {100, 100, .003, .03}, {100, 100, 0, .05}};

NightlyDevice device_of(const Fleet& fleet, std::uint64_t which, std::size_t nights) {
  std::seed_seq seed{std::uint64_t{4}, which};
  zoo::Random random(seed);
  NightlyDevice device;
  device.device.kind = DeviceKind::cuda;
  for (std::size_t night = 0; night < nights; ++night)
    device.nights.push_back({"", static_cast<std::int64_t>(night), {}});
  for (std::size_t of = 0; of < fleet.cases; ++of) {
    NightlyTimes times{"e", {}, {}};
    for (std::size_t night = 0; night < nights; ++night)
      times.nights.push_back(static_cast<std::uint32_t>(night));
    device.cases.push_back({fmt::format("case {:03}", of), {std::move(times)}, {}, {}, 0});
  }
  // Night by night, so that more nights leave the earlier ones as they are.
  for (std::size_t night = 0; night < nights; ++night) {
    const double shared = fleet.common * zoo::normal(random);
    for (std::size_t of = 0; of < fleet.cases; ++of) {
      const bool changed = night >= step_night && of < fleet.changing;
      const double log = shared + sd * zoo::normal(random) + (changed ? std::log1p(fleet.step) : 0);
      device.cases[of].times[0].median_ns.push_back(1000 * std::exp(log));
    }
  }
  return device;
}

/// First nights of the fleet events that are told of a device.
struct Events {
  std::vector<std::size_t> alone;     // by cases that tell it each by itself
  std::vector<std::size_t> together;  // also by all of them together
};

std::vector<std::size_t> gathered(DeviceTrend trend) {
  for (TrendChange& change : trend.changes)
    change.kind = change.worse ? TrendKind::regression : TrendKind::improvement;
  gather_fleet_events(trend);
  std::vector<std::size_t> nights;
  for (const FleetEvent& event : trend.fleet) nights.push_back(event.night);
  return nights;
}

Events events_of(NightlyDevice device) {
  TrendRules rules;
  rules.least_step = least_step;
  rules.shown_nights = device.nights.size();
  DeviceTrend trend;
  trend.nights = std::move(device);
  for (const NightlyCase& one : trend.nights.cases)
    std::ranges::move(trend_of_times(trend.nights, one, rules).changes,
                      std::back_inserter(trend.changes));
  Events events{gathered(trend), {}};
  add_shared_changes(trend, rules);
  events.together = gathered(std::move(trend));
  return events;
}

/// "64.0 / 100.0": of how many devices there is an event within three nights of the step, alone and
/// together, once `seen` nights of it are there.
std::string told_of(const Fleet& fleet, const Options& options, std::size_t seen) {
  const auto is_there = [](const std::vector<std::size_t>& nights) {
    return std::ranges::any_of(nights,
                               [](std::size_t night) { return apart(night, step_night) <= 3; });
  };
  std::vector<Events> found(options.fleets);
  in_parallel(options.fleets, options.fleets,
              [&](std::size_t i) { found[i] = events_of(device_of(fleet, i, step_night + seen)); });
  const auto all = static_cast<std::int64_t>(options.fleets);
  return fmt::format("{} / {}", share(std::ranges::count_if(found, is_there, &Events::alone), all),
                     share(std::ranges::count_if(found, is_there, &Events::together), all));
}

/// Events of devices on which nothing changes, over a year.
std::size_t false_events(const Options& options, double common) {
  std::vector<std::size_t> found(options.fleets);
  in_parallel(options.fleets, options.fleets, [&](std::size_t i) {
    found[i] = events_of(device_of({100, 0, common, 0}, i, year)).together.size();
  });
  return std::accumulate(found.begin(), found.end(), std::size_t{0});
}

}  // namespace

std::string fleet_table(const Options& options) {
  constexpr std::size_t looks[] = {2, 3, 5, 7, 14};
  const auto count = static_cast<std::int64_t>(options.fleets);
  std::string text = fmt::format(
      "{} devices of each sort, cases with white noise of 1%, a step after night {}: percent of "
      "which ten cases or more are told to have changed, each by itself / also all together, once "
      "so many nights of it are there. The 95% limits of 100% begin at {:.1f}%. Without a step, "
      "{} devices of 100 cases have {} such events over {} nights, and {} with noise of 0.3% in "
      "common.\n\n| cases | that change | noise in common | step |",
      options.fleets, step_night, 100 * stats::proportion_interval(count, count).low,
      options.fleets, false_events(options, 0), year, false_events(options, .003));
  std::string line = "|---|---|---|---|";
  for (const std::size_t seen : looks) {
    text += fmt::format(" {} nights |", seen);
    line += "---|";
  }
  text += fmt::format("\n{}\n", line);
  for (const Fleet& fleet : fleets) {
    text += fmt::format("| {} | {} | {:g}% | +{:g}% |", fleet.cases, fleet.changing,
                        100 * fleet.common, 100 * fleet.step);
    for (const std::size_t seen : looks)
      text += fmt::format(" {} |", told_of(fleet, options, seen));
    text += "\n";
  }
  return text;
}

}  // namespace ridgeline::analysis::trend_study
