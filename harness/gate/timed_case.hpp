#pragma once

#include <optional>
#include <set>
#include <string>

#include "harness/gate/case_verdict.hpp"

namespace ridgeline::gate {

/// A case of a gate that measures times, with what has become of it.
struct TimedCase {
  const GateCase* gate_case = nullptr;
  CasePairs pairs;
  // Of the gate, in which the case was taken on, or on again after it was set aside; those that
  // were at the same time are screened for tails together.
  std::optional<int> first_round;
  analysis::Screening screening;
  std::set<int> rounds;  // of the gate, measured; one that was cut off gave no pair
  int latest_pair = -1;  // its round of the gate
  bool over = false;     // has its verdict
  bool aside = false;    // because one round takes more than the others leave, so far
  double pair_s = 0;     // what its next round needs, by the latest: each side has half of the time
  double least_s = 0;    // the same, if it samples no longer than it must; 0: not known yet
  double longest_s = 0;  // of all executions that ended, on either side
  std::string cut;       // what the end of the budget cut off; empty when it did not
  // What its rounds took so far on both sides: around sampling and warming up, and for a sample.
  // How many.
  double around_s = 0, sample_s = 0;
  int timed = 0;
  double unsampled_s = 0;  // of the latest round: all but sampling
};

/// Adds a pair that was measured.
void keep(TimedCase& state, const MeasuredPair& pair);

/// Adds what a round of `pair_s` wall time took, beside the start of its processes.
void note_times(TimedCase& state, const Sides<std::optional<run::CaseResult>>& results,
                double pair_s);

/// What its next round takes on both sides, when each samples for `block_s`, or `max_samples`
/// samples if these take less. Of a case that was timed.
double next_pair_s(const TimedCase& state, double block_s, int max_samples);

/// What the end of the budget has cut off is a timeout of the case when it took out of all
/// proportion; else it says nothing about it, and was not measured.
void tell_hangs(TimedCase& state, Sides<std::optional<run::CaseResult>>& results);

}  // namespace ridgeline::gate
