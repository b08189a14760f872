#include "harness/stats/slow_processes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::stats {

SlowProcesses slow_processes(std::span<const double> baseline, std::span<const double> candidate,
                             int least) {
  require(baseline.size() == candidate.size(), "every pair has a process of both sides");
  std::vector<double> slowest_first(baseline.begin(), baseline.end());
  slowest_first.insert(slowest_first.end(), candidate.begin(), candidate.end());
  std::ranges::sort(slowest_first, std::greater<>());
  double widest = 0;
  std::size_t above = 0;  // the cut
  for (auto r = static_cast<std::size_t>(std::max(least, 1)); r <= baseline.size(); ++r) {
    const double upper = slowest_first[r - 1], lower = slowest_first[r];
    if (upper > lower && upper - lower > widest) {
      widest = upper - lower;
      above = r;
    }
  }
  SlowProcesses found;
  if (widest < same_log_ratio) return found;
  const double upper = slowest_first[above - 1], lower = slowest_first[above];
  found.cut = std::isinf(upper) ? lower : (upper + lower) / 2;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    if ((candidate[i] > found.cut) == (baseline[i] > found.cut)) continue;
    ++(candidate[i] > found.cut ? found.candidate : found.baseline);
  }
  const int one_sided = found.candidate + found.baseline;
  found.p = coin_cdf(found.baseline, static_cast<std::size_t>(one_sided));
  return found;
}

}  // namespace ridgeline::stats
