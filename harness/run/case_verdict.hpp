#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/gate_decision.hpp"
#include "harness/record/gate.hpp"
#include "harness/run/gate.hpp"
#include "harness/run/paired_case.hpp"

namespace ridgeline::run {

/// What a gate has measured of one case.
struct CasePairs {
  std::vector<analysis::PairedTimes> times;  // that count, in the order of rounds
  int dropped = 0;
  std::string why_dropped;  // the latest
};

/// A verdict with everything but numbers.
record::CaseVerdict verdict_on(const GateCase& gate_case, record::Verdict verdict, const std::string& reason);

/// What the pairs say so far: decided, or undecided with what is known. `last`: no more pairs will come, and `reason`
/// says why; too few left after drops is invalid_environment. `max_pairs` are those that its smallest effect is of.
record::CaseVerdict judge(const GateSetup& setup, const GateCase& gate_case, const CasePairs& pairs, bool last,
                          const std::string& reason, int max_pairs);

/// How a case ends because of what a round brought on either side, in that order: a wrong result, a crash, a timeout;
/// not there on both sides, on the candidate's, on the baseline's. Empty when both were measured.
std::optional<record::CaseVerdict> ended_by(const GateCase& gate_case, const Sides<std::optional<CaseResult>>& results,
                                            int round);

}  // namespace ridgeline::run
