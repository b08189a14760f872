#include "harness/present/exit_code.hpp"

namespace ridgeline::present {

bool is_not_measured(record::Outcome outcome) {
  return record::is_failure(outcome) || outcome == record::Outcome::not_measured;
}

int exit_code(record::RunStatus status, const std::vector<analysis::CaseSummary>& summaries,
              bool strict) {
  if (status == record::RunStatus::interrupted) return interrupted;
  bool failed = false, doubtful = false;
  for (const analysis::CaseSummary& summary : summaries) {
    failed = failed || is_not_measured(summary.outcome);
    doubtful = doubtful || summary.beats_roof || summary.outcome == record::Outcome::unstable ||
               summary.outcome == record::Outcome::invalid_environment;
  }
  return failed ? not_all_measured : strict && doubtful ? undecided : fine;
}

}  // namespace ridgeline::present
