#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/interval.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::analysis {

/// How one process ended for a case, with its last attempt.
struct ProcessResult {
  record::Outcome outcome = record::Outcome::crashed;
  std::optional<double> median_ns;
  std::int64_t executions = 1;  // of a sample
};

/// What the processes of a case come to; docs/measurement.md tells the rule.
struct OverProcesses {
  std::size_t worst = 0;                               // the process whose outcome is the worst
  record::Outcome outcome = record::Outcome::crashed;  // of the case: that of the worst process,
                                                       // unless the processes differ
  std::string differ;  // why the case is unstable although no process is; empty when the reason of
                       // the worst process is the case's
  std::vector<std::size_t> counting;  // the processes whose medians stand for the case; none after
                                      // a failure
  bool disturbed = false;  // every process with a median was disturbed: these count, for want of
                           // others
};

/// The one rule for a case over its processes. `processes` are not empty; places in them are
/// returned. `limit`: Run::unstable; where it is not known, processes never differ too much.
OverProcesses over_processes(std::span<const ProcessResult> processes, std::optional<double> limit);

/// How much an outcome matters to whoever reads a table: failures first, then what casts doubt,
/// then what was not measured. Higher is worse.
int severity(record::Outcome outcome);

/// One case of one run over all its processes: what the closing table, `show` and the report print.
/// A replicate counts with its last attempt; over_processes() says which of them stand for the
/// case. Metrics are medians over processes. A case that failed has neither median, interval, rates
/// and share nor metrics.
struct CaseSummary {
  record::Case case_info;
  record::Outcome outcome = record::Outcome::crashed;  // as over_processes() has it
  std::string reason;
  std::optional<double> flops, bytes;  // the work of one execution, as the last process with
                                       // samples prepared it: some sizes are the device's choice
  std::vector<double> medians_ns;      // of the processes that count, by replicate
  bool disturbed = false;              // they were disturbed, and no other is there
  std::optional<double> median_ns;     // median of process medians
  std::optional<stats::Interval> interval_ns;  // over process medians; absent below 3 processes
  std::optional<double> flop_rate, byte_rate;  // FLOP/s and useful B/s at median_ns
  std::optional<double> share_of_roof;         // least time that the roofs allow / median_ns
  std::string roof;         // kind of the roof that binds ("dram.copy", "tensor.bf16")
  bool beats_roof = false;  // faster than its roof allows: a measuring error, said aloud
  std::optional<record::Verification> verification;  // the farthest from right, with the least that
                                                     // a process compared
  std::optional<bool> settled;  // whether each warm-up ended because times had settled; absent
                                // where a process with samples does not say
  std::vector<record::Metric> metrics;
  std::optional<double> sm_clock_mhz;  // median over the processes that count
  std::optional<double> power_w;       // highest of them
};

/// The last attempt of each replicate of a case, by replicate.
using CaseProcesses = std::vector<const store::StoredMeasurement*>;

/// Measurements by case, in order of suite, variant, dtype and problem (numbers by value). Points
/// into `measurements`.
std::vector<CaseProcesses> by_case(const std::vector<store::StoredMeasurement>& measurements);

/// Which of a counted case's processes stands for it.
struct CountedCase {
  const store::StoredMeasurement* shown = nullptr;  // of the last process; null when none counted
  bool processes_differ = false;  // another process has other sites: its inputs were others
};

/// `processes` as of by_case, with their sites.
CountedCase counted_case(const CaseProcesses& processes);

/// Two executions of one case, of the same inputs where there are such, else the first of each.
/// Neither is empty.
using Executions = std::vector<const record::Measurement*>;
std::pair<const record::Measurement*, const record::Measurement*> alike(const Executions& a,
                                                                        const Executions& b);

/// "unsupported: needs 16-bit floats", or the outcome alone, as it can be printed.
std::string in_words(record::Outcome outcome, const std::string& reason);

/// The order of by_case.
bool is_before(const record::CaseId& a, const record::CaseId& b);

/// Share of a roof above which a rate counts as a measuring error.
inline constexpr double roof_margin = 1.05;

/// Summaries in the order of by_case. The compute roof of a case is tensor.<dtype>
/// where the device has one, else fma.<dtype>; the memory roof is the highest measured dram.*, else
/// the datasheet's; a case with cache=hot has no memory roof. A case whose bytes have no roof, and
/// one that measures a roof or a latency, has no share. A case that measures a roof beats it when
/// its rate is above the datasheet's roof of the same kind by more than the margin: dram.* against
/// `dram`, tensor.X and fma.X against their own; latencies and kinds without a datasheet's value
/// never do. `limit`: Run::unstable.
std::vector<CaseSummary> summarise(const std::vector<store::StoredMeasurement>& measurements,
                                   const std::vector<record::Roof>& roofs,
                                   std::optional<double> limit);

}  // namespace ridgeline::analysis
