#include "harness/analysis/gate_plan.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ridgeline::analysis {

bool gives_counts(DeviceKind kind) { return kind == DeviceKind::emulated; }

GatePlan plan_for(DeviceKind kind) {
  // docs/statistics.md says where the looks, shares and levels come from. Early looks of few pairs
  // have no share: no p value of theirs could be small enough.
  GatePlan plan;
  if (kind == DeviceKind::cuda) {
    plan.looks = {6, 12, 18, 27, 40};
    plan.alpha_share = {0, 0.25, 0.10, 0.25, 0.40};
    plan.pass_level = {0.016, 0.01, 0.008, 0.008, 0.008};
  } else {
    plan.looks = {8, 12, 18, 27, 40, 60};
    plan.alpha_share = {0, 0.20, 0.10, 0.20, 0.20, 0.30};
    plan.pass_level = {0.012, 0.01, 0.008, 0.007, 0.0065, 0.0065};
  }
  // The fewest that find 30% of processes that are 10% slower nine times of ten, on a quiet GPU.
  plan.screening_rounds = 8;
  plan.tail_looks = {27, 40, 60};
  plan.tail_share = {0.1, 0.2, 0.7};
  return plan;
}

GatePlan with_pass_risk(GatePlan plan, double risk) {
  const double usual = std::accumulate(plan.pass_level.begin(), plan.pass_level.end(), 0.0);
  double carry = 0;
  for (std::size_t i = 0; i < plan.looks.size(); ++i) {
    double& level = plan.pass_level[i];
    level = level * risk / usual + std::exchange(carry, 0.0);
    // No p value of n pairs is below 2^-n.
    if (level < std::ldexp(1.0, -plan.looks[i])) std::swap(carry, level);
  }
  return plan;
}

GatePlan on_medians_alone(GatePlan plan) {
  plan.screening_rounds = 0;
  plan.tail_looks = {};
  plan.tail_share = {};
  return plan;
}

bool is_as_expected(const CaseRule& rule, double ratio) {
  return rule.expected && !rule.expectation_over && (!rule.at_most || ratio <= 1 + *rule.at_most);
}

std::optional<double> doubted_above(const CaseRule& rule, double delta) {
  if (!rule.expected || rule.expectation_over) return delta;
  if (!rule.at_most) return std::nullopt;
  return std::max(delta, std::log1p(*rule.at_most));
}

double default_delta(DeviceKind kind) {
  if (gives_counts(kind)) return 0;
  return kind == DeviceKind::cuda ? 0.005 : 0.03;
}

}  // namespace ridgeline::analysis
