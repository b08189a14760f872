#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/record/run.hpp"

namespace ridgeline::record {

/// What a gate says of one case. Nothing is a pass because something is missing.
enum class Verdict {
  regression,           // the candidate is slower than delta allows
  tail,                 // its median is not, but its slow samples or slow processes are more
  wrong_result,         // an output of either side differs from the oracle's, however fast it was
  crashed,              // a worker of either side ended, or stopped speaking the protocol
  timeout,              // either side spent the case's time
  missing,              // the baseline has it, the candidate has not, or cannot measure it
  invalid_environment,  // too few pairs are left that nothing disturbed, or the two sides were
                        // measured differently
  undecided,            // measured, and neither found slower nor shown not to be
  no_baseline,          // nothing to compare with: the baseline was not measured well enough
  improvement,          // the candidate is faster by more than delta
  new_case,             // "new": the candidate alone has it
  pass,                 // the candidate is shown not to be slower by delta
  same_code,            // not measured, because both sides execute the same code
  not_measured,         // left out, so that the budget can decide the others, or cut off by its end
                        // before there was a pair
  skipped,              // not compared, for the reason given
};

std::span<const Name<Verdict>> names(Verdict);

/// What became slower of a candidate whose median did not.
enum class Tail {
  launches,   // more of its samples are slow
  processes,  // more of its processes are slow
  means,      // the mean of a process's samples
  nineties,   // their 90th percentile
  throttles,  // it is disturbed more often
};

std::span<const Name<Tail>> names(Tail);

/// Why an undecided case is too suspicious to be let through.
enum class Doubt {
  exact,    // the test says that it is slower, though not at the level of the whole suite
  large,    // it seems to be much slower, or all of its few pairs are many times slower
  cluster,  // its few pairs lie close together, far above delta
};

std::span<const Name<Doubt>> names(Doubt);

/// wrong_result, crashed, timeout and missing: what makes `ridgeline gate` exit with 2.
constexpr bool is_failure(Verdict verdict) {
  return verdict == Verdict::wrong_result || verdict == Verdict::crashed ||
         verdict == Verdict::timeout || verdict == Verdict::missing;
}

/// How the two sides of a gate were named: programs, commits that it built, variants of one build,
/// or stored runs.
enum class GateMode { workers, refs, variants, runs };

std::span<const Name<GateMode>> names(GateMode);

/// What was compared with what, and under which rules. Each side is a run: one that the gate
/// measured itself (Run::gate names it), or an earlier one.
struct Gate {
  std::string id;  // globally unique and sortable by time, like a run's
  std::string device_uuid;
  GateMode mode = GateMode::workers;
  std::string baseline, candidate;          // as the user named them
  std::string baseline_run, candidate_run;  // ids
  std::string command_line;                 // what repeats it
  std::string options;     // JSON: all that is needed to go on with it after an interruption
  std::string rules_text;  // of gate.toml; empty without one
  std::uint64_t seed = 0;
  double alpha = 0;               // of regressions over the whole suite, and again of improvements
  int cases = 0;                  // compared at the start: what alpha is divided by
  bool aa = false;                // both sides are known to be the same code
  std::string started, finished;  // UTC, ISO 8601 to the second; finished is empty while running
  RunStatus status = RunStatus::running;
  bool operator==(const Gate&) const = default;
};

/// What disturbed the sides of a pair, so that it does not count: a recorded cause that is blind to
/// the result.
struct Drop {
  std::string baseline, candidate;  // empty: nothing disturbed that side
  bool any() const { return !baseline.empty() || !candidate.empty(); }
  bool operator==(const Drop&) const = default;
};

/// "candidate: sw_thermal", "both: baseline: ...; candidate: ..."; empty when nothing was
/// disturbed.
std::string to_text(const Drop& drop);

/// One round of one case: both sides sampled next to each other.
struct Pair {
  std::string case_name;  // the candidate's
  int round = 0;          // 0-based
  bool baseline_first = true;
  double baseline_ns = 0, candidate_ns = 0;  // medians of the two processes
  Drop dropped;                              // it counts when nothing was
  bool operator==(const Pair&) const = default;
};

/// The verdict on one case with what it stands on. Ratios are candidate over baseline: above 1 is
/// slower.
struct CaseVerdict {
  std::string case_name;      // the candidate's; the baseline's when the candidate has none
  std::string baseline_case;  // differs when two variants are compared; empty when the baseline has
                              // none
  Verdict verdict = Verdict::undecided;
  std::string reason;  // in words: why this is the verdict, unless the numbers say it all
  double delta = 0;    // relative, after the absolute floor: 0.03 is 3%
  // Medians over the pairs, or processes, that count.
  std::optional<double> baseline_ns, candidate_ns;
  // Where counts were compared: the metric that decided (of those that changed the worst; of none
  // that changed, one), and its values. Times, pairs, noise and probabilities are absent then:
  // counts are exact. Empty where times were.
  std::string metric;
  std::optional<double> baseline_value, candidate_value;
  // The estimate; of counts candidate over baseline, absent from and to 0.
  std::optional<double> ratio;
  // Its unadjusted 95% interval; absent where it has no bound.
  std::optional<double> ratio_low, ratio_high;
  int pairs = 0;    // that the verdict stands on; of stored runs: processes of the smaller side
  int dropped = 0;  // pairs that do not count; some because of one side alone
  int dropped_baseline = 0, dropped_candidate = 0;
  std::optional<double> noise;            // robust standard deviation of the log ratios
  std::optional<double> smallest_effect;  // relative slow-down found with 80% power at the end;
                                          // about
  std::optional<double> p_value, level;   // of the test that decided, or of the last that did not
  // Of the samples beside the medians: the ratios of means and of 90th percentiles, and what share
  // of each side's samples is slow (analysis/paired_times.hpp).
  std::optional<double> mean_ratio, ninetieth_ratio, baseline_slow, candidate_slow;
  std::optional<Tail> tail;       // that was shown, even where the rules only want it told
  bool tail_suspected = false;    // and not shown by the end
  std::optional<Doubt> doubt;     // of an undecided case
  std::optional<int> more_pairs;  // that an undecided case that seems slower would need; about
  bool expected = false;          // a regression that the rules expect: does not fail the gate
  std::string expectation;        // why and until when, as the rules say; empty without one
  bool expectation_over = false;  // its date had passed
  bool no_room = false;           // skipped, because both sides do not fit into memory together
  bool operator==(const CaseVerdict&) const = default;
};

}  // namespace ridgeline::record
