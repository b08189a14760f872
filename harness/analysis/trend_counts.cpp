#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "harness/analysis/trend.hpp"

namespace ridgeline::analysis {
namespace {

/// A metric that a night has another value of than the night before.
struct Step {
  const NightlyCount* count = nullptr;
  std::size_t at = 0;  // of its values
  double before() const { return count->values[at - 1]; }
  double after() const { return count->values[at]; }
  bool worse() const {
    return (count->direction == record::Direction::lower) == (after() > before());
  }
  /// How far the values are apart; from and to 0 infinitely.
  double size() const {
    if (before() <= 0 || after() <= 0) return std::numeric_limits<double>::infinity();
    return std::abs(std::log(after() / before()));
  }
};

/// How often each metric went from one of two values to the other.
class Modes {
 public:
  /// Adds those of a night, and returns whether all of them went between their two values three
  /// times before.
  bool add(const std::vector<Step>& steps) {
    constexpr std::size_t times = 3;
    bool all = true;
    for (const Step& step : steps) {
      const double low = std::min(step.before(), step.after()),
                   high = std::max(step.before(), step.after());
      all = seen_[{step.count->metric, low, high}]++ >= times && all;
    }
    return all;
  }

 private:
  std::map<std::tuple<std::string, double, double>, std::size_t> seen_;
};

TrendChange change_of(const NightlyCase& one, const std::vector<Step>& steps) {
  // Of those for the worse the largest, else of all.
  const Step& main = *std::ranges::max_element(
      steps, {}, [](const Step& step) { return std::pair(step.worse(), step.size()); });
  const NightlyCount& count = *main.count;
  TrendChange change;
  change.case_name = one.name;
  change.night = change.earliest = change.latest = count.nights[main.at];
  change.before = main.before();
  change.after = main.after();
  change.metric = count.metric;
  change.unit = count.unit;
  change.other_metrics = steps.size() - 1;
  change.raised = change.night;
  change.worse = main.worse();
  keep_recent(change, count.values, main.at);
  return change;
}

}  // namespace

CaseTrend trend_of_counts(const NightlyDevice& device, const NightlyCase& one,
                          const TrendRules& rules) {
  std::map<std::uint32_t, std::vector<Step>> by_night;
  for (const NightlyCount& count : one.counts) {
    if (count.direction == record::Direction::none) continue;  // a fact, neither better nor worse
    for (std::size_t at = 1; at < count.values.size(); ++at)
      if (count.values[at] != count.values[at - 1])
        by_night[count.nights[at]].push_back({&count, at});
  }
  CaseTrend trend;
  Modes modes;
  const std::size_t tonight = device.nights.size() - 1;
  for (const auto& [night, steps] : by_night) {
    const bool mode = modes.add(steps);
    if (night + rules.shown_nights <= tonight) {
      ++trend.older;
      continue;
    }
    TrendChange& change = trend.changes.emplace_back(change_of(one, steps));
    change.mode = mode;
    change.is_new = !mode && night + rules.new_nights > tonight;
  }
  return trend;
}

}  // namespace ridgeline::analysis
