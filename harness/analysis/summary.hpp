#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/interval.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::analysis {

/// One case of one run over all its processes: what the closing table, `show` and the report print. A replicate counts
/// with its last attempt; over_processes() says which of them stand for the case. Metrics are medians over processes. A
/// case that failed has neither median, interval, rates and share nor metrics.
struct CaseSummary {
  record::Case case_info;
  record::Outcome outcome = record::Outcome::crashed;  // the worst of its processes, in the order of exit codes
  std::string reason;
  std::vector<double> medians_ns;              // of the processes that count, by replicate
  bool disturbed = false;                      // they were disturbed, and no other is there
  std::optional<double> median_ns;             // median of process medians
  std::optional<stats::Interval> interval_ns;  // over process medians; absent below 3 processes
  std::optional<double> flop_rate, byte_rate;  // FLOP/s and useful B/s at median_ns
  std::optional<double> share_of_roof;         // least time that the roofs allow / median_ns
  std::string roof;                            // kind of the roof that binds ("dram.copy", "tensor.bf16")
  bool beats_roof = false;                     // faster than its roof allows: a measuring error, said aloud
  std::optional<record::Verification> verification;
  std::vector<record::Metric> metrics;
};

/// The last attempt of each replicate of a case, by replicate.
using CaseProcesses = std::vector<const store::StoredMeasurement*>;

/// Measurements by case, in order of suite, variant, dtype and problem (numbers by value). Points into `measurements`.
std::vector<CaseProcesses> by_case(const std::vector<store::StoredMeasurement>& measurements);

/// The order of by_case.
bool is_before(const record::CaseId& a, const record::CaseId& b);

/// Share of a roof above which a rate counts as a measuring error.
inline constexpr double roof_margin = 1.05;

/// Summaries in the order of by_case. The compute roof of a case is tensor.<dtype>
/// where the device has one, else fma.<dtype>; the memory roof is the highest measured dram.*, else the datasheet's; a
/// case with cache=hot has no memory roof, and a case that measures a roof or a latency has no share. A case that
/// measures a roof beats it when its rate is above the datasheet's roof of the same kind by more than the margin:
/// dram.* against `dram`, tensor.X and fma.X against their own; latencies and kinds without a datasheet's value never
/// do.
std::vector<CaseSummary> summarise(const std::vector<store::StoredMeasurement>& measurements,
                                   const std::vector<record::Roof>& roofs);

}  // namespace ridgeline::analysis
