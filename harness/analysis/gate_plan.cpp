#include "harness/analysis/gate_plan.hpp"

namespace ridgeline::analysis {

bool gives_counts(DeviceKind kind) { return kind == DeviceKind::emulated; }

GatePlan plan_for(DeviceKind kind) {
  // docs/statistics.md says where the looks, shares and levels come from. Early looks of few pairs
  // have no share: no p value of theirs could be small enough.
  if (kind == DeviceKind::cuda)
    return {
        {6, 12, 18, 27, 40}, {0, 0.25, 0.10, 0.25, 0.40}, {0.016, 0.01, 0.008, 0.008, 0.008}, 0.5};
  return {{8, 12, 18, 27, 40, 60},
          {0, 0.20, 0.10, 0.20, 0.20, 0.30},
          {0.012, 0.01, 0.008, 0.007, 0.0065, 0.0065},
          0.5};
}

bool is_as_expected(const CaseRule& rule, double ratio) {
  return rule.expected && !rule.expectation_over && (!rule.at_most || ratio <= 1 + *rule.at_most);
}

double default_delta(DeviceKind kind) {
  if (gives_counts(kind)) return 0;
  return kind == DeviceKind::cuda ? 0.005 : 0.03;
}

}  // namespace ridgeline::analysis
