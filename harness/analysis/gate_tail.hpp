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
  double share = 1;      // of the suite's alpha, for this case if it is, or were, a suspect
};

/// Whether these pairs of a case hint at a tail, or at a slower median. `delta` is a logarithm.
bool is_suspicious(std::span<const PairedTimes> pairs, double delta);

/// The pairs of the screening rounds: the first ones.
std::span<const PairedTimes> screening_pairs(const GatePlan& plan,
                                             std::span<const PairedTimes> pairs);

/// How many of the processes of both sides that were tested are slow: they lie above the widest gap
/// between them. None are where that are not more of the candidate's.
struct SlowProcessCounts {
  int rounds = 0;  // tested: so many processes of each side
  int baseline = 0, candidate = 0;
  int enough = 0;  // slow ones of the candidate show a tail where none of the baseline's are
};

/// What the tests of a suspect say.
struct TailDecision {
  std::optional<record::Tail> tail;       // what became slower, if that was shown
  bool cleared = false;                   // it is no longer suspicious
  bool tested = false;                    // by as many pairs as every question needs at its level
  std::size_t pairs = 0;                  // of all, screening included, when that was known
  double p_value = 1, level = 0;          // of the test that showed it
  std::optional<SlowProcessCounts> slow;  // at the latest look; absent where it had nothing to
                                          // spend
};

/// What shows a tail in the last look of the plan, in which `rounds` are tested: so many slow
/// processes, or processes with slow launches, of the candidate and none of the baseline's. `alpha`
/// is of one case. Zero rounds: the plan looks for no tails.
struct TailReach {
  int rounds = 0, processes = 0, launches = 0;
};
TailReach tail_reach(const GatePlan& plan, double alpha);

/// Replays the looks that the pairs of a suspect have reached: the first that shows a tail or
/// clears the case. `last`: no more pairs will come, and what is left of the levels is spent on
/// them all; where they are too few for some question, they clear nothing. `alpha` is of this case.
TailDecision decide_tail(const GatePlan& plan, double alpha, double delta,
                         std::span<const PairedTimes> pairs, bool last);

/// What all pairs of a case of `cases` hint at that could not be decided: more slow samples, slower
/// means, or more disturbed processes than chance gives the candidate of equal sides in one suite
/// of twenty. The screening is part of them: nothing was chosen by it here.
std::optional<record::Tail> tail_in_doubt(std::span<const PairedTimes> pairs, double delta,
                                          int cases);

}  // namespace ridgeline::analysis
