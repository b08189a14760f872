#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/case_verdict.hpp"
#include "harness/gate/course.hpp"
#include "harness/gate/setup.hpp"
#include "harness/gate/side_by_side.hpp"
#include "harness/gate/timed_case.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/order.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {
namespace {

using record::Verdict;

constexpr int pilot_rounds = 12;  // after which the gate says what it can find

/// The cases that one pair of processes measures, in order.
struct GateAssignment {
  SideWorkers workers;
  std::vector<TimedCase*> cases;
};

/// The course of a gate that measures times.
class TimedGate {
 public:
  TimedGate(const GateSetup& setup, store::Store& store, const GateObserver& observer)
      : setup_(setup),
        store_(store),
        observer_(observer),
        side_by_side_(
            setup, store, [this] { tick(); }, observer.note) {
    std::map<std::string, TimedCase*> by_name;
    cases_.reserve(setup.cases.size());
    for (const GateCase& gate_case : setup.cases) {
      cases_.emplace_back().gate_case = &gate_case;
      by_name[gate_case.candidate.name] = &cases_.back();
    }
    for (const MeasuredPair& pair : setup.pairs) {
      const auto found = by_name.find(pair.pair.case_name);
      if (found != by_name.end()) keep_pair(*found->second, pair);
    }
    for (const record::CaseVerdict& verdict : setup.settled) {
      const auto found = by_name.find(verdict.case_name);
      if (found != by_name.end()) found->second->over = true;
      store::add(store, setup.gate.id, verdict);
    }
  }

  void measure() {
    // What an interruption kept from being said.
    for (TimedCase& state : cases_)
      if (!state.pairs.times.empty()) decide(state);
    for (; round_ < rounds() && undecided() > 0 && left_s() > 0; ++round_) {
      if (!round()) break;
      screen();
      pilot();
    }
    for (TimedCase& state : cases_)
      if (!state.over) settle(state, judge_now(state, true, why_undecided(state), 0));
  }

  void interrupt() {
    side_by_side_.processes().kill();
    for (TimedCase& state : cases_)
      if (!state.over) {
        record::CaseVerdict verdict = judge_now(state, false, "", setup_.plan.looks.back());
        verdict.reason = "the gate was interrupted";
        store::add(store_, setup_.gate.id, verdict);
      }
  }

 private:
  double left_s() const { return setup_.budget_s - process::seconds_since(start_); }
  int undecided() const {
    return static_cast<int>(
        std::ranges::count_if(cases_, [](const TimedCase& each) { return !each.over; }));
  }

  // ---- rounds

  /// The cases that are left, in the round's order: those of the same workers together, under a
  /// launcher of the same rank counts, too.
  std::vector<GateAssignment> assignments() {
    std::vector<GateAssignment> assignments;
    for (const std::size_t index : run::shuffled(cases_.size(), seed_)) {
      TimedCase& state = cases_[index];
      if (state.over || state.rounds.contains(round_) ||
          round_ >= setup_.plan.rounds(state.screening.suspect))
        continue;
      const SideWorkers workers = workers_of(*state.gate_case);
      const auto same = std::ranges::find(assignments, workers, &GateAssignment::workers);
      if (same != assignments.end())
        same->cases.push_back(&state);
      else
        assignments.push_back({workers, {&state}});
    }
    return assignments;
  }

  /// False when nothing of it fits into what is left of the budget.
  bool round() {
    seed_ = run::replicate_seed(setup_.gate.seed, round_);
    side_by_side_.processes().begin_round(round_, seed_);
    const std::vector<GateAssignment> to_do = assignments();  // none when it was measured before an
                                                              // interruption
    bool any = to_do.empty();
    const process::Clock::time_point start = process::Clock::now();
    const double before_s = inside_s_;
    for (const GateAssignment& assignment : to_do) {
      for (TimedCase* state : assignment.cases) {
        process::Interrupt::check();
        if (left_s() <= std::max(0.0, state->pair_s)) continue;
        tick(state->gate_case->candidate.name);
        measure(assignment.workers, *state);
        any = true;
      }
      side_by_side_.processes().end();
    }
    outside_s_ += process::seconds_since(start) - (inside_s_ - before_s);
    return any;
  }

  void measure(const SideWorkers& workers, TimedCase& state) {
    const process::Clock::time_point start = process::Clock::now();
    auto [results, one_by_one] =
        side_by_side_.measure(workers, *state.gate_case, [&] { return limits(state); });
    if (!one_by_one.empty())
      return settle(state, too_large(*state.gate_case, state.pairs, one_by_one));
    state.rounds.insert(round_);
    for (const Side side : both_sides)
      if (results[side]) inside_s_ += results[side]->measurement.total_ns / 1e9;
    ++executions_;
    note_times(state, results, process::seconds_since(start));
    tell_hangs(state, results);
    keep(workers, state, results);
  }

  run::CaseLimits limits(const TimedCase& state) const {
    // Half for each side: one that loops leaves the other the time to show how long it should have
    // taken.
    return {setup_.sampling, block_s(state), setup_.case_timeout_s, std::max(left_s() / 2, 0.1)};
  }

  double block_s(const TimedCase& state) const {
    if (state.timed == 0) return setup_.sampling_s;
    const double share_s =
        setup_.budget_s / static_cast<double>(cases_.size()) / affordable_rounds -
        2 * setup_.sampling.warmup_s;
    return gate::block_s(
        setup_.sampling_s, share_s,
        {state.around_s / state.timed + outside_s_ / executions_, state.sample_s / state.timed});
  }

  // ---- what was measured

  void keep(const SideWorkers& workers, TimedCase& state,
            const Sides<std::optional<run::CaseResult>>& results) {
    const GateCase& each = *state.gate_case;
    Sides<std::int64_t> ids;
    bool budget_spent = false;
    for (const Side side : both_sides) {
      if (!results[side]) continue;
      ids[side] = store::add(store_, side_by_side_.processes().id(workers, side), each[side].info,
                             results[side]->measurement);
      budget_spent = budget_spent || results[side]->out_of_budget;
    }
    Sides<std::optional<run::CaseResult>> said = results;
    for (const Side side : both_sides)
      if (said[side] && said[side]->out_of_budget)
        said[side].reset();  // which says nothing about the case
    const auto ended = ended_by(each, said, round_, state.pairs.rounds());
    if (ended && (!budget_spent || record::is_failure(ended->verdict)))
      return settle(state, *ended);
    if (budget_spent) return;
    require(results.baseline && results.candidate,
            "a case that did not end has a measurement of both sides");
    record::Pair pair;
    pair.case_name = each.candidate.name;
    pair.round = round_;
    pair.baseline_first = baseline_first(setup_.gate.seed, pair.case_name, round_);
    pair.baseline_ns = results.baseline->measurement.median_ns.value();
    pair.candidate_ns = results.candidate->measurement.median_ns.value();
    pair.dropped = drop_of({*results.baseline, *results.candidate});
    store::add(store_, setup_.gate.id, pair, ids.baseline, ids.candidate);
    keep_pair(state, {pair, analysis::shape_of(results.baseline->measurement.samples_ns,
                                               results.candidate->measurement.samples_ns)});
    look(state);
    if (hopeless(state)) settle(state, judge_now(state, true, {}, 0));
  }

  /// Whether nearly every round is disturbed, so that going on would only take time from other
  /// cases. What disturbs the candidate alone is a finding.
  bool hopeless(const TimedCase& state) const {
    const int first = setup_.plan.looks.front(), kept = state.pairs.kept,
              dropped = state.pairs.dropped - state.pairs.dropped_alone.candidate;
    return !state.over && dropped >= first && kept < first && 4 * kept < dropped;
  }

  static void keep_pair(TimedCase& state, const MeasuredPair& pair) {
    state.rounds.insert(pair.pair.round);
    add(state.pairs, pair);
  }

  record::CaseVerdict judge_now(const TimedCase& state, bool last, const std::string& reason,
                                int max_pairs) const {
    return judge(setup_, *state.gate_case, state.pairs, state.screening, last, reason, max_pairs);
  }

  /// Decides the case when its pairs have reached a look.
  void look(TimedCase& state) {
    if (analysis::is_at_look(setup_.plan, state.pairs.times, state.screening)) decide(state);
  }

  void decide(TimedCase& state) {
    if (state.over) return;
    const record::CaseVerdict verdict = judge_now(state, false, "", state.pairs.kept);
    if (verdict.verdict != Verdict::undecided) settle(state, verdict);
  }

  /// After the screening rounds: chooses the suspects, which share alpha from now on, and lets the
  /// others pass.
  void screen() {
    if (screened_ || round_ + 1 < setup_.plan.screening_rounds) return;
    screened_ = true;
    int suspects = 0;
    for (TimedCase& state : cases_) {
      state.screening.over = true;
      state.screening.suspect = analysis::is_suspect(setup_.plan, state.gate_case->rule,
                                                     setup_.gate.cases, state.pairs.times);
      suspects += state.screening.suspect ? 1 : 0;
    }
    for (TimedCase& state : cases_) {
      if (suspects > 0) state.screening.share = 1.0 / suspects;
      decide(state);
    }
  }

  void settle(TimedCase& state, const record::CaseVerdict& verdict) {
    state.over = true;
    store::add(store_, setup_.gate.id, verdict);
    if (observer_.decided) observer_.decided(progress(state.gate_case->candidate.name), verdict);
  }

  std::string why_undecided(const TimedCase& state) const {
    const int kept = state.pairs.kept;
    const std::string pairs = units::plural(kept, "pair");
    if (static_cast<int>(state.rounds.size()) >= setup_.plan.rounds(state.screening.suspect))
      return fmt::format("after all rounds, with {}", pairs);
    return fmt::format("the budget of {} was spent after {}{}", units::duration(setup_.budget_s),
                       kept == 0 ? "no pair" : pairs, state.cut);
  }

  // ---- what is said

  /// Once, after twelve rounds, or after the first look where the budget will not last so long.
  void pilot() {
    const int done = round_ + 1;
    if (pilot_said_ || undecided() == 0 || done < setup_.plan.looks.front()) return;
    const int to_come = rounds_to_come();
    if (done < pilot_rounds && done + to_come >= pilot_rounds) return;
    pilot_said_ = true;
    std::vector<record::CaseVerdict> verdicts;
    for (const TimedCase& state : cases_)
      if (!state.over) verdicts.push_back(judge_now(state, false, "", state.pairs.kept + to_come));
    if (observer_.pilot) observer_.pilot(progress({}), verdicts);
  }

  /// The most that the cases that are left are measured.
  int rounds() const {
    return setup_.plan.rounds(std::ranges::any_of(
        cases_, [](const TimedCase& each) { return !each.over && each.screening.suspect; }));
  }

  /// Rounds that the cases that are left can still have.
  int rounds_to_come() const {
    double round_s = 0;
    for (const TimedCase& state : cases_)
      if (!state.over) round_s += state.pair_s;
    const int by_plan = rounds() - round_ - 1;
    if (!(round_s > 0)) return by_plan;
    return static_cast<int>(
        std::min<double>(by_plan, std::floor(std::max(left_s(), 0.0) / round_s)));
  }

  GateProgress progress(const std::string& name) const {
    return {round_,      rounds(),
            undecided(), static_cast<int>(cases_.size()),
            name,        std::max(left_s(), 0.0)};
  }
  void tick(const std::string& name) {
    case_name_ = name;
    tick();
  }
  void tick() {
    if (observer_.tick) observer_.tick(progress(case_name_));
  }

  const GateSetup& setup_;
  store::Store& store_;
  const GateObserver& observer_;
  const process::Clock::time_point start_ = process::Clock::now();
  std::vector<TimedCase> cases_;
  int round_ = 0;
  // Wall time of all executions of cases, on both sides together, and around them: starting and
  // ending processes, and the books. `executions_` counts pairs.
  double inside_s_ = 0, outside_s_ = 0;
  int executions_ = 0;
  std::uint64_t seed_ = 0;  // of the round
  bool screened_ = false, pilot_said_ = false;
  std::string case_name_;
  SideBySide side_by_side_;
};

}  // namespace

record::RunStatus measure_times(const GateSetup& setup, store::Store& store,
                                const GateObserver& observer) {
  return proceed(TimedGate(setup, store, observer));
}

}  // namespace ridgeline::gate
