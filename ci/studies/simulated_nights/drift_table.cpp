#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_nights/simulated_series.hpp"
#include "ci/studies/simulated_nights/tables.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/drift_watch.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/step_watch.hpp"

namespace ridgeline::analysis::trend_study {
namespace {

constexpr std::size_t begin = 120;  // the night that the drift begins after

struct DriftSize {
  double size;  // relative, at its end
  std::size_t nights;
};
constexpr DriftSize drifts[] = {{.02, 90}, {.05, 90}, {.10, 90}, {.05, 42}, {.10, 42}};

/// What a drift was first told as, while it went on.
struct Told {
  std::size_t nights = 0;  // of the drift when it was told; 0: it was not
  bool drift = false;      // as one, and not as a step
};

/// A series that drifts from night `begin` on.
Told watch_drift(const zoo::Nights& nights, double tick) {
  stats::StepWatch watch({.least_step = least_step, .tick = tick});
  stats::DriftWatch drift;
  for (const double night : nights) {
    const bool stepped = watch.add(night), drifted = drift.add(watch, least_step);
    const std::size_t so_far = watch.values().size();
    if (so_far <= begin || (!stepped && !drifted)) continue;
    const bool slope = stepped && watch.steps().back().slope;
    return {so_far - begin, drifted || slope};
  }
  return {};
}

bool is_of_the_table(const Row& row) {
  for (const char* name : {"white", "AR(1), 0.3", "AR(1), 0.6", "random walk of 0.15, and white",
                           "Student's t, 3 degrees", "2% outliers", "5% outliers on both sides",
                           "weekends 3 higher", "spells three times as loud"})
    if (row.name() == name) return true;
  return false;
}

}  // namespace

std::string drift_table(const Options& options) {
  std::string text = fmt::format(
      "{} series of some kinds, with a drift from night {} on, a straight line of logs: percent "
      "that "
      "are told while it goes on, in brackets how many of all are first told as a step, and after "
      "how many nights in the median.\n\n| noise |",
      options.drifts, begin);
  std::string line = "|---|";
  for (const DriftSize& drift : drifts) {
    text += fmt::format(" +{:g}% in {} |", 100 * drift.size, drift.nights);
    line += "---|";
  }
  text += fmt::format("\n{}\n", line);
  for (const Row& row : rows(options.only)) {
    if (!is_of_the_table(row)) continue;
    text += fmt::format("| {} |", row.name());
    for (const DriftSize& drift : drifts) {
      const double a_night = std::log1p(drift.size) / static_cast<double>(drift.nights);
      std::vector<Told> found(options.drifts);
      in_parallel(options.drifts, options.drifts, [&](std::size_t i) {
        Series series = draw(row.which, {3, i}, begin + drift.nights, begin - 30);
        for (std::size_t t = begin; t < series.nights.size(); ++t)
          series.nights[t] += a_night * static_cast<double>(t + 1 - begin);
        found[i] = watch_drift(series.nights, row.tick);
      });
      std::int64_t steps = 0;
      std::vector<double> waited;
      for (const Told& one : found) {
        if (one.nights == 0) continue;
        waited.push_back(static_cast<double>(one.nights));
        steps += one.drift ? 0 : 1;
      }
      const auto all = static_cast<std::int64_t>(options.drifts);
      text += fmt::format(" {} ({}) {} |", share(std::ssize(waited), all), share(steps, all),
                          waited.empty() ? "-" : fmt::format("{:g}", stats::median(waited)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace ridgeline::analysis::trend_study
