#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
  const std::size_t tonight = device.nights.size() - 1;
  for (const auto& [night, steps] : by_night) {
    if (night + rules.shown_nights <= tonight) {
      ++trend.older;
      continue;
    }
    TrendChange& change = trend.changes.emplace_back(change_of(one, steps));
    change.is_new = night + rules.new_nights > tonight;
  }
  return trend;
}

}  // namespace ridgeline::analysis
