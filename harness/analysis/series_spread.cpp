#include "harness/analysis/series_spread.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "harness/stats/series_noise.hpp"

namespace ridgeline::analysis {

std::optional<SeriesSpread> spread_of(const NightlyTimes& times) {
  constexpr std::size_t fewest = 8;
  constexpr double closest = 1e-12;  // so that equal times have no spread but 0 is not divided by
  if (times.median_ns.size() < fewest) return std::nullopt;
  const auto apart = [&](std::size_t lag) {
    std::vector<double> differences;
    for (std::size_t i = lag; i < times.median_ns.size(); ++i)
      differences.push_back(std::log(times.median_ns[i]) - std::log(times.median_ns[i - lag]));
    return stats::capped_spread(std::move(differences), closest);
  };
  const double near = apart(1), two = apart(2), four = apart(4);
  return SeriesSpread{near / std::numbers::sqrt2,
                      stats::carried_over(near * near, two * two, four * four)};
}

}  // namespace ridgeline::analysis
