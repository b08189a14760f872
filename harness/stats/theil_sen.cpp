#include "harness/stats/theil_sen.hpp"

#include <algorithm>
#include <vector>

#include "harness/base/error.hpp"

namespace ridgeline::stats {

double theil_sen_slope(std::span<const double> values) {
  require(values.size() >= 2, "a slope is that of two values or more");
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t j = 1; j < values.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  // Not sorted: only the middle is asked for, and there are thousands.
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  if (slopes.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(slopes.begin(), middle)) / 2;
}

}  // namespace ridgeline::stats
