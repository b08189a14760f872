#include "harness/analysis/paired_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

void check_samples(std::span<const double> samples_ns) {
  if (samples_ns.empty())
    throw Error(ErrorKind::internal, "a gate was asked to judge a process without samples");
  for (const double sample_ns : samples_ns)
    if (!(std::isfinite(sample_ns) && sample_ns > 0))
      throw Error(ErrorKind::internal,
                  "a gate was asked to judge the sample " + std::to_string(sample_ns) + " ns");
}

double mean_of(std::span<const double> values) {
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double share_above(std::span<const double> values, double limit) {
  const auto above = std::ranges::count_if(values, [&](double value) { return value > limit; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

}  // namespace

PairShape shape_of(std::span<const double> baseline_ns, std::span<const double> candidate_ns) {
  check_samples(baseline_ns);
  check_samples(candidate_ns);
  std::vector<double> both(baseline_ns.begin(), baseline_ns.end());
  both.insert(both.end(), candidate_ns.begin(), candidate_ns.end());
  const double limit_ns = slow_sample * stats::median(both);
  const auto quantile_ratio = [&](double p) {
    return std::log(stats::quantile(candidate_ns, p) / stats::quantile(baseline_ns, p));
  };
  return {std::log(mean_of(candidate_ns) / mean_of(baseline_ns)),
          quantile_ratio(0.9),
          std::log(stats::quantile(baseline_ns, 0.25)),
          std::log(stats::quantile(candidate_ns, 0.25)),
          share_above(baseline_ns, limit_ns),
          share_above(candidate_ns, limit_ns),
          static_cast<int>(std::min(baseline_ns.size(), candidate_ns.size()))};
}

}  // namespace ridgeline::analysis
