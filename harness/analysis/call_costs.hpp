#pragma once

#include <optional>

#include "harness/analysis/summary.hpp"
#include "harness/stats/interval.hpp"

/// What a row of calls costs once, and what each further call of it costs.
namespace ridgeline::analysis {

/// A case whose samples are rows of so many calls; its times are per call.
struct RowOfCalls {
  const CaseSummary& summary;
  double calls = 1;
};

struct CallCosts {
  double each_ns = 0;                         // of a further call
  std::optional<stats::Interval> each_95_ns;  // absent below 3 processes per side
  double once_ns = 0;                         // of a row, whatever its length
};

/// From two rows: n calls take once_ns + n each_ns. Absent when either has no time, or `many` not
/// more calls than `few`. Both costs may come out below 0, where rows of another length take
/// another way.
std::optional<CallCosts> call_costs(const RowOfCalls& few, const RowOfCalls& many);

}  // namespace ridgeline::analysis
