#include "harness/analysis/level_back.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

constexpr std::size_t fortnight = 14;  // nights

/// How many of `nights` lie before `night`.
std::size_t place(const std::vector<std::uint32_t>& nights, std::size_t night) {
  return static_cast<std::size_t>(std::ranges::lower_bound(nights, night) - nights.begin());
}

}  // namespace

bool is_back(double level, double before, double ratio, double least_step) {
  const double left = std::log(level / before),
               near = std::max(std::log1p(least_step), std::abs(std::log(ratio)) / 3);
  return ratio > 1 ? left <= near : left >= -near;
}

std::optional<double> fortnight_before(const NightlyTimes& times, std::size_t earliest) {
  const std::size_t end = place(times.nights, earliest), count = std::min(end, fortnight);
  if (count == 0) return {};
  return stats::median(std::span(times.median_ns).subspan(end - count, count));
}

std::optional<std::size_t> fortnight_back(const NightlyTimes& times,
                                          const std::optional<double>& before, std::size_t behind,
                                          double ratio, double least_step) {
  if (!before) return {};
  const std::span<const double> values = times.median_ns;
  const std::size_t first = place(times.nights, behind + 1);
  const double size = std::abs(std::log(ratio));
  // No night tells it, so it has to be nearer to the level before than to the one that it left.
  const double near = std::min(size / 2, std::max(std::log1p(least_step), size / 3));
  const double limit = *before * std::exp(ratio > 1 ? near : -near);
  const auto is_there = [&](double value) { return ratio > 1 ? value <= limit : value >= limit; };
  std::size_t there = 0;  // of the fortnight: most medians are known by it
  for (std::size_t end = first + 1; end <= values.size(); ++end) {
    there += is_there(values[end - 1]) ? 1 : 0;
    if (end < first + fortnight) continue;
    if (end > first + fortnight) there -= is_there(values[end - fortnight - 1]) ? 1 : 0;
    if (2 * there > fortnight || (2 * there == fortnight && is_there(stats::median(values.subspan(
                                                                end - fortnight, fortnight)))))
      return times.nights[end - 1];
  }
  return {};
}

std::optional<std::size_t> count_back(const NightlyCount& count, std::size_t night) {
  const std::size_t at = place(count.nights, night);
  if (at == 0 || at == count.nights.size() || count.nights[at] != night) return {};
  const double before = count.values[at - 1], after = count.values[at];
  for (std::size_t i = at + 1; i < count.values.size(); ++i)
    if (after > before ? count.values[i] <= before : count.values[i] >= before)
      return count.nights[i];
  return {};
}

}  // namespace ridgeline::analysis
