// How often a watched series of noise has a change or a drift that is not there, and how soon true
// steps are told, on every kind of noise of the zoo. Prints the tables of docs/trend.md, which
// ci/studies/trend_study puts there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "harness/base/in_parallel.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/drift_watch.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/noise_zoo.hpp"
#include "harness/stats/step_watch.hpp"

namespace ridgeline::stats {
namespace {

constexpr double sd = .01;
constexpr std::size_t suite = 250, month = 30;  // series, nights
constexpr std::size_t year = 365, early = 60;

struct Options {
  std::size_t series = 600;  // of each kind of noise, for false changes; none: without their table
  std::size_t steps = 500;   // series with a step, likewise
  std::string only;          // kinds whose names have it
};

struct Series {
  zoo::Nights nights;
  std::vector<std::size_t> shifts;  // true ones
};

/// `quiet_from`: the first night from which on nothing shifts.
Series draw(const zoo::Kind& kind, std::size_t which, std::uint64_t study, std::size_t series,
            std::size_t nights, std::size_t quiet_from) {
  std::seed_seq seed{study, static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(series)};
  zoo::Random random(seed);
  Series made;
  do {
    made = {zoo::Nights(nights), {}};
    kind.draw(made.nights, random, made.shifts);
  } while (!made.shifts.empty() && made.shifts.back() >= quiet_from);
  for (double& night : made.nights) night *= sd;
  return made;
}

std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

struct False {
  std::int64_t early = 0, late = 0, undoing = 0, modes = 0, slopes = 0, drifts = 0;
};

False watch_noise(const Series& series, double tick) {
  False found;
  StepWatch watch({.least_step = .01, .tick = tick});
  DriftWatch drift;
  for (const double night : series.nights) {
    watch.add(night);
    if (drift.add(watch, .01)) ++found.drifts;
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
  StepWatch watch({.least_step = .01, .tick = tick});
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

/// The kinds, those with a tick also with it known.
struct Row {
  const zoo::Kind* kind;
  std::size_t which;
  double tick;
  std::string name() const {
    return fmt::format("{}{}", kind->name, tick > 0 ? ", tick known" : "");
  }
};
std::vector<Row> rows(const Options& options) {
  std::vector<Row> all;
  for (std::size_t i = 0; i < zoo::kinds().size(); ++i) {
    const zoo::Kind& kind = zoo::kinds()[i];
    if (std::string_view(kind.name).find(options.only) == std::string_view::npos) continue;
    all.push_back({&kind, i, 0});
    if (kind.tick > 0) all.push_back({&kind, i, kind.tick * sd});
  }
  return all;
}

void false_table(const Options& options) {
  fmt::print(
      "{} series of {} nights of each kind of noise of 1%, without a step; a smallest step of 1%. "
      "A "
      "suite-month is {} series over {} nights.\n\n"
      "| noise | false changes in a suite-month, nights to {} | nights {} to {} | besides: "
      "taken back, modes, slopes | false drifts in a suite-month |\n|---|---|---|---|---|\n",
      options.series, year, suite, month, early, early + 1, year);
  constexpr std::size_t first = 8;
  const double nights = static_cast<double>(options.series) / static_cast<double>(suite * month);
  const auto rate = [](std::int64_t events, double months) {
    return fmt::format("{:.2f} ({})", static_cast<double>(events) / months, events);
  };
  for (const Row& row : rows(options)) {
    std::vector<False> found(options.series);
    in_parallel(options.series, options.series, [&](std::size_t i) {
      found[i] = watch_noise(draw(*row.kind, row.which, 1, i, year, year + 1), row.tick);
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
    fmt::print("| {} | {} | {} | {}, {}, {} | {} |\n", row.name(),
               rate(all.early, nights * static_cast<double>(early - first)), rate(all.late, months),
               all.undoing, all.modes, all.slopes, rate(all.drifts, months));
    std::fflush(stdout);
  }
}

struct Step {
  double size;  // relative
  std::size_t within;
};
constexpr Step steps[] = {{.03, 14}, {.05, 8}, {.25, 5}, {1, 5}};

std::string share(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void step_table(const Options& options) {
  constexpr std::size_t nights = 90, at = 70;
  const Interval all = proportion_interval(static_cast<std::int64_t>(options.steps) * 99 / 100,
                                           static_cast<std::int64_t>(options.steps)),
                 most = proportion_interval(static_cast<std::int64_t>(options.steps) * 9 / 10,
                                            static_cast<std::int64_t>(options.steps)),
                 half = proportion_interval(static_cast<std::int64_t>(options.steps) / 2,
                                            static_cast<std::int64_t>(options.steps));
  fmt::print(
      "\n{} series of {} nights of each kind, with a step after {}: percent that are told. "
      "95% limits (Clopper and Pearson) of 99% are [{:.1f}, {:.1f}], of 90% [{:.1f}, {:.1f}], of "
      "50% [{:.1f}, {:.1f}]. In what is rounded the step is rounded too. Place and size: percent "
      "of "
      "the steps to 25% that are in their interval on the last night; median nights: until +100% "
      "is "
      "told.\n\n| noise |",
      options.steps, nights, at, 100 * all.low, 100 * all.high, 100 * most.low, 100 * most.high,
      100 * half.low, 100 * half.high);
  for (const Step& step : steps) fmt::print(" +{:g}% in {} |", 100 * step.size, step.within);
  fmt::print(
      " place | nights wide | size | median nights |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows(options)) {
    fmt::print("| {} |", row.name());
    std::int64_t judged = 0, placed = 0, sized = 0;
    std::vector<double> wide, waited;
    for (const Step& step : steps) {
      const double size = std::log1p(step.size);
      std::vector<Found> found(options.steps);
      in_parallel(options.steps, options.steps, [&](std::size_t i) {
        Series series = draw(*row.kind, row.which, 2, i, nights, at - 11);
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
      fmt::print(" {} |", share(told, static_cast<std::int64_t>(options.steps)));
    }
    fmt::print(" {} | {} | {} | {} |\n", share(placed, judged),
               wide.empty() ? "-" : fmt::format("{:g}", median(wide)), share(sized, judged),
               waited.empty() ? "-" : fmt::format("{:g}", median(waited)));
    std::fflush(stdout);
  }
}

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--only") options.only = argv[i + 1];
    if (name == "--series") options.series = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--steps") options.steps = std::strtoul(argv[i + 1], nullptr, 10);
  }
  if (options.series > 0) false_table(options);
  if (options.steps > 0) step_table(options);
  return 0;
}

}  // namespace
}  // namespace ridgeline::stats

int main(int argc, char** argv) { return ridgeline::stats::main(argc, argv); }
