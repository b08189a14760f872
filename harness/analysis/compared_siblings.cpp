#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "harness/analysis/comparison.hpp"
#include "harness/base/text.hpp"
#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {
namespace {

/// The timings of the cases that any of `patterns` picks, or all.
SiblingRun picked(const ComparedSide& side, const std::vector<std::string>& patterns) {
  SiblingRun run{side.device.id, {side.timings.cases, {}}};
  for (const store::Timing& timing : side.timings.timings)
    if (any_matches(patterns, record::name(run.timings.cases[timing.case_index].id)))
      run.timings.timings.push_back(timing);
  return run;
}

bool holds_one(const stats::Interval& interval) { return interval.low <= 1 && 1 <= interval.high; }

/// Whether a GPU is slower over the suite of `one`, or over all of them.
bool is_slower_in_suite(const ComparedCase& one, const std::vector<SiblingsOfSuite>& suites) {
  const std::size_t slower = *one.ratio > 1 ? 1 : 0;
  return std::ranges::any_of(suites, [&](const SiblingsOfSuite& suite) {
    return (suite.suite.empty() || suite.suite == one.id.suite) &&
           suite.devices[slower].is_slower();
  });
}

/// Of one of so many intervals, that all hold together with 95%.
bool is_beyond_chance(const ComparedCase& one, std::ptrdiff_t cases) {
  std::vector<double> scaled;
  for (const double ns : one.b.medians_ns) scaled.push_back(ns / one.work);
  const auto interval = stats::ratio_interval(one.a.medians_ns, scaled, *one.ratio,
                                              1 - 0.05 / static_cast<double>(cases));
  return interval && !holds_one(*interval);
}

/// ", at 94% of the other's clock" where that explains more than half of the ratio.
std::string slower_clock(const ComparedCase& one) {
  if (!one.a.sm_clock_mhz || !one.b.sm_clock_mhz || !(*one.a.sm_clock_mhz > 0) ||
      !(*one.b.sm_clock_mhz > 0))
    return {};
  const double clocks = *one.b.sm_clock_mhz / *one.a.sm_clock_mhz;
  if (std::abs(std::log(*one.ratio * clocks)) >= std::abs(std::log(*one.ratio)) / 2) return {};
  return fmt::format(", at {:.0f}% of the other's clock", 100 * std::min(clocks, 1 / clocks));
}

}  // namespace

void explain_siblings(Comparison& found, const ComparedSide& a, const ComparedSide& b,
                      const std::vector<std::string>& patterns) {
  found.siblings = compare_siblings({picked(a, patterns), picked(b, patterns)});
  const bool other_settings = a.environment.comparable != b.environment.comparable;
  const std::ptrdiff_t cases = std::ranges::count_if(
      found.cases, [](const ComparedCase& one) { return one.interval.has_value(); });
  for (ComparedCase& one : found.cases) {
    if (!one.ratio) continue;
    const auto say = [&](Cause cause, const std::string& because) {
      one.cause = cause;
      one.because = because;
    };
    if (one.a.disturbed || one.b.disturbed) {
      say(Cause::environment,
          fmt::format("{} was disturbed: {}", one.a.disturbed ? "A" : "B",
                      printable(one.a.disturbed ? one.a.reason : one.b.reason, 1000)));
    } else if (!one.interval) {
      say(Cause::unknown, "fewer than 3 processes per side");
    } else if (holds_one(*one.interval)) {
      say(Cause::none, "");
    } else if (!is_slower_in_suite(one, found.siblings) && !is_beyond_chance(one, cases)) {
      say(Cause::none, fmt::format("chance leaves as much in one of {} cases", cases));
    } else {
      const std::string slower = printable(*one.ratio > 1 ? b.device.id : a.device.id),
                        clock = slower_clock(one);
      if (other_settings)
        say(Cause::environment, slower + " is slower, and the comparable environment differs");
      else
        say(clock.empty() ? Cause::unknown : Cause::environment, slower + " is slower" + clock);
    }
  }
}

}  // namespace ridgeline::analysis
