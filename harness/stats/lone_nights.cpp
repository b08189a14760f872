#include "harness/stats/lone_nights.hpp"

#include <algorithm>
#include <cstddef>

#include "harness/stats/median.hpp"

namespace ridgeline::stats {

double share_of_lone(std::span<const double> values, double off) {
  constexpr std::size_t week = 7, enough = 3;
  std::size_t asked = 0, lone = 0;
  for (std::size_t i = enough; i + enough < values.size(); ++i) {
    const std::size_t before = std::min(i, week), after = std::min(values.size() - 1 - i, week);
    const double from_before = values[i] - median(values.subspan(i - before, before)),
                 from_after = values[i] - median(values.subspan(i + 1, after));
    ++asked;
    lone += off > 0 ? std::min(from_before, from_after) >= off
                    : std::max(from_before, from_after) <= off;
  }
  return asked == 0 ? 0 : static_cast<double>(lone) / static_cast<double>(asked);
}

}  // namespace ridgeline::stats
