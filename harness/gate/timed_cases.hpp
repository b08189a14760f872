#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/admission.hpp"
#include "harness/gate/side_processes.hpp"
#include "harness/gate/timed_case.hpp"

namespace ridgeline::gate {

/// The cases that one pair of processes measures, in order.
struct GateAssignment {
  SideWorkers workers;
  std::vector<TimedCase*> cases;
};

/// The cases of a gate that measures times: which are taken on, which are suspects, what the budget
/// is enough for. It measures nothing.
class TimedCases {
 public:
  /// With what was measured and settled before an interruption. Keeps a reference.
  explicit TimedCases(const GateSetup& setup);

  std::vector<TimedCase>& all() { return cases_; }
  const std::vector<TimedCase>& all() const { return cases_; }
  int latest_round() const;  // that was measured; 0 when none was
  int undecided() const;
  int taken() const;  // on, and not set aside

  /// Those that were taken on and are measured in this round, in its order: those of the same
  /// workers together, under a launcher of the same rank counts, too.
  std::vector<GateAssignment> due(int round, std::uint64_t seed);

  // ---- what rounds take

  /// How long one side of the next round of a case samples. `outside_s`: of wall time outside each
  /// execution of a case.
  double block_s(const TimedCase& state, double outside_s) const;
  /// Notes what the next round of a case takes that was just timed.
  void foresee(TimedCase& state, double outside_s) const;
  /// The same of all cases, once it is known how many share the budget.
  void foresee_all(double outside_s);
  /// What a round takes beside its pairs: the start and the end of its processes.
  void set_start_s(double start_s) { start_s_ = start_s; }
  double start_s() const { return start_s_; }

  // ---- what the budget is enough for

  /// The most important case that waits, which is taken on in this round when the budget decides it
  /// beside those that are; null when there is none, or no room.
  TimedCase* take_on(int round, double left_s);

  /// Whether a case that was just measured for the first time takes more than is left beside those
  /// that are open, so that to keep it would decide neither it nor them. One that seems slower is
  /// never too dear, and none for the start of its processes, which it shares with others.
  bool is_too_dear(const TimedCase& state, double left_s) const;

  /// The most important case that was set aside and can be decided in what is left beside those
  /// that are open, or, when none is, can have some verdict: it is taken on again in this round, as
  /// if for the first time, and screened with those that are. Null when there is none.
  TimedCase* take_on_again(int round, double left_s);
  /// Whether some case was set aside, and may be taken on again.
  bool has_aside() const;

  // ---- what the pairs say

  /// Chooses the suspects among the cases that were taken on together, once all of them have had
  /// the screening rounds: they share their part of alpha from now on, and the others may pass.
  /// Returns those about which there may be something new to say.
  std::vector<TimedCase*> screen();

  /// What the pairs of a case say: case_verdict.hpp.
  record::CaseVerdict judge(const TimedCase& state, bool last, const std::string& reason,
                            int max_pairs) const;
  /// Whether nearly every round of it is disturbed, so that going on would only take time from
  /// other cases. What disturbs the candidate alone is a finding.
  bool is_disturbed(const TimedCase& state) const;
  /// The one case that is open, when it cannot have enough rounds for any verdict, or, where its
  /// sides seem to differ much, for a doubt; else null.
  TimedCase* hopeless(double left_s);

  /// What the budget is enough for; none while nothing is known of what a round takes.
  std::optional<GateForecast> forecast(double left_s) const;
  /// A budget for all cases, by what those that are known take.
  double wanted_s() const;
  /// The round after which no case that is taken on is due any more.
  int rounds(int round) const;
  /// Rounds after this one that fit into what is left.
  int rounds_to_come(int round, double left_s) const;

 private:
  std::vector<Demand> demands() const { return demands(start_s_); }
  std::vector<Demand> demands(double start_s) const;  // which one of them has
  /// Of what is known of cases, as far as something is.
  double typical_s(double (*known_s)(const TimedCase&)) const;
  double typical_pair_s() const {
    return typical_s([](const TimedCase& state) { return state.pair_s; });
  }
  void choose_suspects(const std::vector<TimedCase*>& together);

  const GateSetup& setup_;
  std::vector<TimedCase> cases_;
  double start_s_ = 0;
  std::deque<TimedCase*> waiting_;       // the most important first
  std::vector<std::size_t> importance_;  // places in `cases_`, the most important first
};

}  // namespace ridgeline::gate
