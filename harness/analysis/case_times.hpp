#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/stats/interval.hpp"

namespace ridgeline::analysis {

/// over_processes() with what the medians that count come to: of a CaseSummary what medians tell.
struct CaseTimes {
  OverProcesses over;
  std::vector<double> medians_ns;              // of over.counting
  std::optional<double> median_ns;             // median of these; absent without any
  std::optional<stats::Interval> interval_ns;  // over them; absent below 3
};

CaseTimes case_times(std::span<const ProcessResult> processes, std::optional<double> limit);

}  // namespace ridgeline::analysis
