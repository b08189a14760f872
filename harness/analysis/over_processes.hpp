#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/record/outcome.hpp"

namespace ridgeline::analysis {

/// How one process ended for a case, with its last attempt.
struct ProcessResult {
  record::Outcome outcome = record::Outcome::crashed;
  std::optional<double> median_ns;
};

/// What the processes of a case come to; docs/measurement.md tells the rule.
struct OverProcesses {
  std::size_t worst = 0;              // the process whose outcome and reason are the case's
  std::vector<std::size_t> counting;  // the processes whose medians stand for the case; none after a failure
  bool disturbed = false;             // every process with a median was disturbed: these count, for want of others
};

/// The one rule for a case over its processes. `processes` are not empty; places in them are returned.
OverProcesses over_processes(std::span<const ProcessResult> processes);

/// How much an outcome matters to whoever reads a table: failures first, then what casts doubt, then what was not
/// measured. Higher is worse.
int severity(record::Outcome outcome);

}  // namespace ridgeline::analysis
