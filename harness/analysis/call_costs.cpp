#include "harness/analysis/call_costs.hpp"

#include <algorithm>
#include <vector>

#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {
namespace {

std::vector<double> times(const std::vector<double>& values, double factor) {
  std::vector<double> products;
  for (const double value : values) products.push_back(factor * value);
  return products;
}

}  // namespace

std::optional<CallCosts> call_costs(const RowOfCalls& few, const RowOfCalls& many) {
  const auto &a = few.summary.median_ns, &b = many.summary.median_ns;
  if (!a || !b || !(many.calls > few.calls)) return std::nullopt;
  const double more = many.calls - few.calls, of_few = few.calls / more,
               of_many = many.calls / more;
  const double each = of_many * *b - of_few * *a;
  auto interval = stats::difference_interval(times(few.summary.medians_ns, of_few),
                                             times(many.summary.medians_ns, of_many), 0.95);
  // It is of means, and what is told is of medians.
  if (interval) *interval = {std::min(interval->low, each), std::max(interval->high, each)};
  return CallCosts{each, interval, few.calls * (*a - each)};
}

}  // namespace ridgeline::analysis
