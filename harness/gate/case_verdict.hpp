#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/gate_decision.hpp"
#include "harness/gate/gate.hpp"
#include "harness/gate/paired_case.hpp"
#include "harness/record/gate.hpp"

namespace ridgeline::gate {

/// What a gate has measured of one case.
struct CasePairs {
  std::vector<analysis::PairedTimes> times;  // in the order of rounds, disturbed ones among them
  int kept = 0, dropped = 0;
  Sides<int> dropped_alone;  // because of what disturbed that side, and not the other
  record::Drop latest_drop;
  int rounds() const { return kept + dropped; }  // of the case: each gave a pair
};

void add(CasePairs& pairs, const MeasuredPair& pair);

/// What disturbed which side of a pair.
record::Drop drop_of(const Sides<run::CaseResult>& results);

/// Whether an execution that was cut off after `spent_s`, when the budget ended, would have gone on
/// for ever as far as one can tell: `known_s` is the longest that one of the case took on either
/// side, 0 when none ever ended. A budget can be shorter than the case's own limit, and must not
/// make an endless loop look like a lack of time.
bool hangs(double spent_s, double known_s);

/// A verdict with everything but numbers.
record::CaseVerdict verdict_on(const GateCase& gate_case, record::Verdict verdict,
                               const std::string& reason);

/// What the pairs say so far: decided, or undecided with what is known. `last`: no more pairs will
/// come, and `reason` says why; too few left after drops is invalid_environment, unless what is
/// left or the drops themselves speak against the candidate. `max_pairs` are those that its
/// smallest effect is of.
record::CaseVerdict judge(const GateSetup& setup, const GateCase& gate_case, const CasePairs& pairs,
                          const analysis::Screening& screening, bool last,
                          const std::string& reason, int max_pairs);

/// How a case ends because of what a round brought on either side, in that order: a wrong result, a
/// crash, a timeout; not there on both sides, on the candidate's, on the baseline's. Empty when
/// both were measured. Of outputs that are wrong on both sides it says so. `round` is absent where
/// there is but one execution. `measured` rounds came before: what could be measured and then
/// cannot is no case that a side lacks, but has crashed.
std::optional<record::CaseVerdict> ended_by(const GateCase& gate_case,
                                            const Sides<std::optional<run::CaseResult>>& results,
                                            std::optional<int> round, int measured);

/// How a case ends whose sides do not fit into memory together, for the reason `one_by_one`:
/// skipped, unless they did in earlier rounds. Then it has not become too large, but something else
/// has taken the memory: the case is regression, tail or in doubt by these rounds, or else
/// invalid_environment.
record::CaseVerdict too_large(const GateSetup& setup, const GateCase& gate_case,
                              const CasePairs& pairs, const analysis::Screening& screening,
                              const std::string& one_by_one);

}  // namespace ridgeline::gate
