#pragma once

#include <optional>
#include <span>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/paired_times.hpp"
#include "harness/record/gate.hpp"

/// What a median hides: fewer than half of the launches, or of the processes, may become slow
/// without moving it. The first rounds choose the suspects among all cases, and later rounds test
/// those alone, so that alpha is shared by few. docs/statistics.md explains and measures it.
namespace ridgeline::analysis {

/// What the screening rounds of the cases that were taken on together say to one of them.
struct Screening {
  bool over = false;     // all of them have had these rounds
  bool suspect = false;  // this case may have a tail
  double share = 1;      // of the suite's alpha, for this case if it is suspect
};

/// Whether these pairs of a case hint at a tail, or at a slower median. `delta` is a logarithm.
bool is_suspicious(std::span<const PairedTimes> pairs, double delta);

/// The pairs of the screening rounds: the first ones.
std::span<const PairedTimes> screening_pairs(const GatePlan& plan,
                                             std::span<const PairedTimes> pairs);

/// What the tests of a suspect say.
struct TailDecision {
  std::optional<record::Tail> tail;  // what became slower, if that was shown
  bool cleared = false;              // it is no longer suspicious
  std::size_t pairs = 0;             // of all, screening included, when that was known
  double p_value = 1, level = 0;     // of the test that showed it
};

/// Replays the looks that the pairs of a suspect have reached: the first that shows a tail or
/// clears the case. `last`: no more pairs will come, and what is left of the levels is spent on
/// them all. `alpha` is of this case.
TailDecision decide_tail(const GatePlan& plan, double alpha, double delta,
                         std::span<const PairedTimes> pairs, bool last);

}  // namespace ridgeline::analysis
