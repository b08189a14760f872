#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_nights/simulated_series.hpp"
#include "ci/studies/simulated_nights/tables.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/drift_watch.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/step_watch.hpp"

namespace ridgeline::analysis::trend_study {
namespace {

using stats::DriftWatch;
using stats::Interval;
using stats::LevelStep;
using stats::StepWatch;

constexpr std::size_t early = 60;  // nights

struct False {
  std::int64_t early = 0, late = 0, undoing = 0, modes = 0, slopes = 0, drifts = 0;
};

False watch_noise(const Series& series, double tick) {
  False found;
  StepWatch watch({.least_step = least_step, .tick = tick});
  DriftWatch drift;
  for (const double night : series.nights) {
    watch.add(night);
    if (drift.add(watch, least_step)) ++found.drifts;
  }
  for (const LevelStep& step : watch.steps()) {
    const auto is_it = [&](std::size_t shift) { return apart(step.place.at, shift) <= 3; };
    if (std::ranges::any_of(series.shifts, is_it)) continue;
    if (step.slope)
      ++found.slopes;
    else if (step.mode)
      ++found.modes;
    else if (step.undoes)
      ++found.undoing;
    else
      ++(step.told <= early ? found.early : found.late);
  }
  return found;
}

struct Found {
  std::size_t nights = 0;  // of the new level when it was told; 0: not told
  std::size_t width = 0;   // of the nights where it may be
  bool placed = false;     // its place holds the step, on the last night
  bool sized = false;      // its interval holds the size, likewise
};

Found watch_step(const zoo::Nights& nights, std::size_t at, double size, double tick) {
  StepWatch watch({.least_step = least_step, .tick = tick});
  for (const double night : nights) watch.add(night);
  for (std::size_t i = 0; i < watch.steps().size(); ++i) {
    const LevelStep& step = watch.steps()[i];
    if (apart(step.place.at, at) > 7 || step.told <= at) continue;
    const Interval interval = watch.size_of(i).step;
    return {step.told - at, step.place.latest - step.place.earliest + 1,
            step.place.earliest <= at && at <= step.place.latest,
            interval.low <= size && size <= interval.high};
  }
  return {};
}

struct Step {
  double size;  // relative
  std::size_t within;
};
constexpr Step steps[] = {{.03, 14}, {.05, 8}, {.25, 5}, {1, 5}};

}  // namespace

std::string false_table(const Options& options) {
  std::string text = fmt::format(
      "{} series of {} nights of each kind of noise of 1%, without a step; a smallest step of 1%. "
      "A suite-month is {} series over {} nights.\n\n"
      "| noise | false changes in a suite-month, nights to {} | nights {} to {} | besides: "
      "taken back, modes, slopes | false drifts in a suite-month |\n|---|---|---|---|---|\n",
      options.series, year, suite, month, early, early + 1, year);
  constexpr std::size_t first = 8;
  const double nights = static_cast<double>(options.series) / static_cast<double>(suite * month);
  for (const Row& row : rows(options.only)) {
    std::vector<False> found(options.series);
    in_parallel(options.series, options.series, [&](std::size_t i) {
      found[i] = watch_noise(draw(row.which, {1, i}, year, year + 1), row.tick);
    });
    False all;
    for (const False& one : found) {
      all.early += one.early;
      all.late += one.late;
      all.undoing += one.undoing;
      all.modes += one.modes;
      all.slopes += one.slopes;
      all.drifts += one.drifts;
    }
    const double months = nights * static_cast<double>(year - early);
    text += fmt::format("| {} | {} | {} | {}, {}, {} | {} |\n", row.name(),
                        rate(all.early, nights * static_cast<double>(early - first)),
                        rate(all.late, months), all.undoing, all.modes, all.slopes,
                        rate(all.drifts, months));
  }
  return text;
}

std::string step_table(const Options& options) {
  constexpr std::size_t nights = 90, at = 70;
  const Interval all =
                     stats::proportion_interval(static_cast<std::int64_t>(options.steps) * 99 / 100,
                                                static_cast<std::int64_t>(options.steps)),
                 most =
                     stats::proportion_interval(static_cast<std::int64_t>(options.steps) * 9 / 10,
                                                static_cast<std::int64_t>(options.steps)),
                 half = stats::proportion_interval(static_cast<std::int64_t>(options.steps) / 2,
                                                   static_cast<std::int64_t>(options.steps));
  std::string text = fmt::format(
      "{} series of {} nights of each kind, with a step after {}: percent that are told. "
      "95% limits (Clopper and Pearson) of 99% are [{:.1f}, {:.1f}], of 90% [{:.1f}, {:.1f}], of "
      "50% [{:.1f}, {:.1f}]. In what is rounded the step is rounded too. Place and size: percent "
      "of the steps to 25% that are in their interval on the last night; median nights: until "
      "+100% "
      "is told.\n\n| noise |",
      options.steps, nights, at, 100 * all.low, 100 * all.high, 100 * most.low, 100 * most.high,
      100 * half.low, 100 * half.high);
  for (const Step& step : steps)
    text += fmt::format(" +{:g}% in {} |", 100 * step.size, step.within);
  text += " place | nights wide | size | median nights |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows(options.only)) {
    text += fmt::format("| {} |", row.name());
    std::int64_t judged = 0, placed = 0, sized = 0;
    std::vector<double> wide, waited;
    for (const Step& step : steps) {
      const double size = std::log1p(step.size);
      std::vector<Found> found(options.steps);
      in_parallel(options.steps, options.steps, [&](std::size_t i) {
        Series series = draw(row.which, {2, i}, nights, at - 11);
        for (std::size_t t = at; t < nights; ++t) series.nights[t] += size;
        const double tick = row.kind->tick * sd;
        if (tick > 0)
          for (double& night : series.nights) night = tick * std::round(night / tick);
        found[i] = watch_step(series.nights, at, size, row.tick);
      });
      std::int64_t told = 0;
      for (const Found& one : found) {
        if (one.nights == 0) continue;
        told += one.nights <= step.within ? 1 : 0;
        if (step.size > .9) {
          waited.push_back(static_cast<double>(one.nights));
          continue;
        }
        ++judged;
        placed += one.placed ? 1 : 0;
        sized += one.sized ? 1 : 0;
        wide.push_back(static_cast<double>(one.width));
      }
      text += fmt::format(" {} |", share(told, static_cast<std::int64_t>(options.steps)));
    }
    text += fmt::format(" {} | {} | {} | {} |\n", share(placed, judged),
                        wide.empty() ? "-" : fmt::format("{:g}", stats::median(wide)),
                        share(sized, judged),
                        waited.empty() ? "-" : fmt::format("{:g}", stats::median(waited)));
  }
  return text;
}

}  // namespace ridgeline::analysis::trend_study
