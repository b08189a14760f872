// How often a watched series of noise has a confirmed change or a drift that is not there, and how
// soon true ones are found. Every night is analysed as `ridgeline trend` would have on that night.
// Prints the two tables of docs/trend.md, which ci/studies/trend_study puts there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/base/in_parallel.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/level_watch.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

using Random = std::mt19937_64;
using Values = std::vector<double>;

double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }
double normal(Random& random) { return std::normal_distribution<double>()(random); }

Values independent(std::size_t n, Random& random, const std::function<double(Random&)>& draw) {
  Values values(n);
  for (double& value : values) value = draw(random);
  return values;
}

/// x(t) = phi x(t - 1) + e(t), of standard deviation 1 from the first value on.
Values autoregressive(std::size_t n, Random& random, double phi) {
  Values values(n);
  double last = normal(random);
  for (double& value : values)
    value = last = phi * last + std::sqrt(1 - phi * phi) * normal(random);
  return values;
}

double student_3(Random& random) {
  return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
}

double laplace(Random& random) {
  const double magnitude = std::exponential_distribution<double>(std::sqrt(2.0))(random);
  return uniform(random) < 0.5 ? -magnitude : magnitude;
}

/// Two nights in a hundred are 5 to 20 standard deviations too slow.
double with_outliers(Random& random) {
  return normal(random) + (uniform(random) < 0.02 ? 5 + 15 * uniform(random) : 0);
}

/// Three nights in ten run in a second mode, 3 standard deviations of a mode's own noise away.
/// Standard deviation 1.
double two_modes(Random& random) {
  return (normal(random) + (uniform(random) < 0.3 ? 3 : 0) - 0.9) / std::sqrt(1 + 9 * 0.21);
}

struct Noise {
  const char* name;
  std::function<Values(std::size_t, Random&)> draw;  // of standard deviation 1, but for its
                                                     // outliers
};

const std::vector<Noise> noises = {
    {"white", [](std::size_t n, Random& random) { return independent(n, random, normal); }},
    {"AR(1), 0.3", [](std::size_t n, Random& random) { return autoregressive(n, random, 0.3); }},
    {"AR(1), 0.6", [](std::size_t n, Random& random) { return autoregressive(n, random, 0.6); }},
    {"Student's t, 3 degrees",
     [](std::size_t n, Random& random) { return independent(n, random, student_3); }},
    {"Laplace", [](std::size_t n, Random& random) { return independent(n, random, laplace); }},
    {"2% outliers",
     [](std::size_t n, Random& random) { return independent(n, random, with_outliers); }},
    {"two modes", [](std::size_t n, Random& random) { return independent(n, random, two_modes); }},
};

Random random_of(std::uint64_t study, std::size_t noise, std::size_t series) {
  std::seed_seq seed{study, static_cast<std::uint64_t>(noise), static_cast<std::uint64_t>(series)};
  return Random(seed);
}

struct Options {
  std::size_t series = 500;  // of each kind of noise, for false points; none: without their table
  std::size_t nights = 365;
  std::size_t steps = 1000;  // series with a step, likewise
  WatchRules rules;
};

/// Of one series of pure noise: confirmed changes, and drifts, that no earlier night had.
struct FalseAlarms {
  int points = 0, drifts = 0, slower_points = 0;
  std::int64_t unconfirmed_nights = 0;  // with a young point that is not confirmed
};

FalseAlarms watch_noise(const Values& values, std::size_t from, const WatchRules& rules) {
  FalseAlarms found;
  std::vector<std::size_t> known;
  std::size_t drift_until = 0;
  for (std::size_t n = from; n <= values.size(); ++n) {
    const Watched watched = watch(std::span(values).first(n), rules);
    bool unconfirmed = false;
    for (const LevelChange& change : watched.changes) {
      unconfirmed |= !change.confirmed && change.at + rules.oldest > n;
      if (!change.confirmed) continue;
      if (std::ranges::any_of(known, [&](std::size_t at) {
            return (at > change.at ? at - change.at : change.at - at) <= rules.apart;
          }))
        continue;
      known.push_back(change.at);
      ++found.points;
      if (change.after > change.before) ++found.slower_points;
    }
    found.unconfirmed_nights += unconfirmed ? 1 : 0;
    // One drift, while it comes and goes within the nights that it is looked for in.
    if (watched.drift) {
      if (n > drift_until) ++found.drifts;
      drift_until = n + rules.drift_values;
    }
  }
  return found;
}

std::string rate(std::int64_t events, double suite_months) {
  return fmt::format("{:.2f} ({})", static_cast<double>(events) / suite_months, events);
}

void false_alarm_table(const Options& options) {
  const std::size_t history = options.rules.least_values;
  const double months = static_cast<double>(options.nights) / 30;
  const double suite_months = static_cast<double>(options.series) * months / 500;
  fmt::print(
      "{} series of each kind of noise, {} nights each after the first {}, a smallest step of {}%, "
      "noise of 1%.\n\n",
      options.series, options.nights, history, 100 * options.rules.least_step);
  fmt::print(
      "| noise | false points in a suite-month | of these slower | false drifts in a suite-month | "
      "unconfirmed points shown, a suite and night |\n|---|---|---|---|---|\n");
  for (std::size_t kind = 0; kind < noises.size(); ++kind) {
    std::vector<FalseAlarms> found(options.series);
    in_parallel(options.series, options.series, [&](std::size_t i) {
      Random random = random_of(1, kind, i);
      Values values = noises[kind].draw(history + options.nights, random);
      for (double& value : values) value *= 0.01;
      found[i] = watch_noise(values, history, options.rules);
    });
    FalseAlarms all;
    for (const FalseAlarms& one : found) {
      all.points += one.points;
      all.slower_points += one.slower_points;
      all.drifts += one.drifts;
      all.unconfirmed_nights += one.unconfirmed_nights;
    }
    fmt::print("| {} | {} | {} | {} | {:.1f} |\n", noises[kind].name,
               rate(all.points, suite_months), rate(all.slower_points, suite_months),
               rate(all.drifts, suite_months),
               500.0 * static_cast<double>(all.unconfirmed_nights) /
                   static_cast<double>(options.series * (options.nights + 1)));
    std::fflush(stdout);
  }
}

struct Found {
  std::size_t nights = 0;  // behind the step's first night, that one counted; 0: not within 30
  bool located = false;    // its location interval holds the step, on the 30th night
  bool sized = false;      // its step's interval holds the true one, likewise
  bool judged = false;     // there was such a point to ask
};

Found watch_step(const Values& values, std::size_t step_at, double size, const WatchRules& rules) {
  Found found;
  for (std::size_t n = step_at + 1; n <= values.size(); ++n) {
    const Watched watched = watch(std::span(values).first(n), rules);
    for (const LevelChange& change : watched.changes) {
      const bool here = change.at + rules.apart >= step_at && change.at <= step_at + rules.apart;
      if (!here || !change.confirmed) continue;
      if (found.nights == 0) found.nights = n - step_at;
      if (n != values.size()) continue;
      found.judged = true;
      found.located = change.earliest <= step_at && step_at <= change.latest;
      found.sized = change.step.low <= size && size <= change.step.high;
    }
  }
  return found;
}

std::string share(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  const Interval interval = proportion_interval(part, all);
  return fmt::format("{:.1f}% [{:.1f}, {:.1f}]",
                     100.0 * static_cast<double>(part) / static_cast<double>(all),
                     100 * interval.low, 100 * interval.high);
}

void step_table(const Options& options) {
  constexpr std::size_t history = 120, after = 30;
  fmt::print(
      "\n{} series of each kind, a step after {} nights of a noise of 1%. Brackets: 95% (Clopper "
      "and Pearson).\n\n",
      options.steps, history);
  fmt::print(
      "| noise | step | within 8 nights | within 14 | within 30 | median nights | location holds "
      "it | size holds it |\n|---|---|---|---|---|---|---|---|\n");
  for (std::size_t kind = 0; kind < noises.size(); ++kind) {
    for (const double percent : {2.0, 3.0, 5.0}) {
      const double size = std::log1p(percent / 100);
      std::vector<Found> found(options.steps);
      in_parallel(options.steps, options.steps, [&](std::size_t i) {
        Random random = random_of(2, kind * 100 + static_cast<std::size_t>(percent), i);
        Values values = noises[kind].draw(history + after, random);
        for (std::size_t t = 0; t < values.size(); ++t)
          values[t] = 0.01 * values[t] + (t >= history ? size : 0);
        found[i] = watch_step(values, history, size, options.rules);
      });
      const auto count = [&](auto&& which) {
        return static_cast<std::int64_t>(std::ranges::count_if(found, which));
      };
      const auto within = [&](std::size_t nights) {
        return count([&](const Found& one) { return one.nights > 0 && one.nights <= nights; });
      };
      const std::int64_t all = static_cast<std::int64_t>(options.steps),
                         judged = count(&Found::judged);
      std::vector<double> nights;  // those that were not found are later than all others
      for (const Found& one : found)
        nights.push_back(one.nights == 0 ? 1e9 : static_cast<double>(one.nights));
      const double middle = median(nights);
      fmt::print("| {} | {}% | {} | {} | {} | {} | {} | {} |\n", noises[kind].name, percent,
                 share(within(8), all), share(within(14), all), share(within(30), all),
                 middle > 1e8 ? "over 30" : fmt::format("{:g}", middle),
                 share(count(&Found::located), judged), share(count(&Found::sized), judged));
      std::fflush(stdout);
    }
  }
}

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::size_t value = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--series") options.series = value;
    if (name == "--steps") options.steps = value;
  }
  if (options.series > 0) false_alarm_table(options);
  if (options.steps > 0) step_table(options);
  return 0;
}

}  // namespace
}  // namespace ridgeline::stats

int main(int argc, char** argv) { return ridgeline::stats::main(argc, argv); }
