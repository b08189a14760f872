#pragma once

#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::present {

/// Exit codes of a command that did its work but has something to say; failures carry theirs in
/// Error.
enum ExitCode { fine = 0, regression = 1, not_all_measured = 2, undecided = 3, interrupted = 130 };

/// A failure, or a case that the run's budget never reached.
bool is_not_measured(record::Outcome outcome);

/// What `ridgeline run` ends with: interrupted, else not_all_measured when a case failed, else,
/// when `strict`, undecided when a case is unstable, was disturbed or beats its roof, else fine.
int exit_code(record::RunStatus status, const std::vector<analysis::CaseSummary>& summaries,
              bool strict);

}  // namespace ridgeline::present
