#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/admission.hpp"
#include "harness/gate/case_verdict.hpp"
#include "harness/gate/course.hpp"
#include "harness/gate/setup.hpp"
#include "harness/gate/side_by_side.hpp"
#include "harness/gate/timed_cases.hpp"
#include "harness/gate/timed_words.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/order.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {
namespace {

using record::Verdict;

constexpr int pilot_rounds = 12;     // after which the gate says what it can find
constexpr int energy_round = 2;      // of a case: the first ones tell what its rounds take
constexpr double other_costs = 0.1;  // relative: then what the budget is enough for is said again

/// The course of a gate that measures times.
class TimedGate {
 public:
  TimedGate(const GateSetup& setup, store::Store& store, const GateObserver& observer)
      : setup_(setup),
        store_(store),
        observer_(observer),
        cases_(setup),
        round_(cases_.latest_round()),
        side_by_side_(
            setup, store, [this] { tick(); }, observer.note) {
    for (const record::CaseVerdict& verdict : setup.settled)
      store::add(store, setup.gate.id, verdict);
  }

  void measure() {
    // What an interruption kept from being said.
    for (TimedCase& state : cases_.all())
      if (!state.pairs.times.empty()) decide(state);
    screen();
    for (; (cases_.undecided() > 0 || cases_.has_aside()) && left_s() > 0; ++round_) {
      if (!round()) break;
      screen();
      give_up();
      pilot();
    }
    for (TimedCase& state : cases_.all())
      if (!state.over && state.first_round) settle(state, at_the_end(state));
    leave_the_rest();
    const bool all_rounds = forecast_ && forecast_->rounds >= setup_.plan.rounds(true);
    const std::string tails = tails_in_reach(setup_, cases_, all_rounds);
    if (!tails.empty() && observer_.note) observer_.note(tails);
  }

  void interrupt() {
    side_by_side_.processes().kill();
    std::vector<record::CaseVerdict> rest;
    for (TimedCase& state : cases_.all())
      if (!state.over) {
        rest.push_back(cases_.judge(state, false, "", setup_.plan.looks.back()));
        rest.back().reason = "the gate was interrupted";
      }
    store::add(store_, setup_.gate.id, rest);
  }

 private:
  double left_s() const { return setup_.budget_s - process::seconds_since(start_); }

  // ---- rounds

  /// False when nothing is due any more, or nothing of it fits into what is left of the budget.
  bool round() {
    side_by_side_.processes().begin_round(round_);
    // Some were measured before an interruption.
    bool any = std::ranges::any_of(cases_.all(), [&](const TimedCase& state) {
      return !state.over && state.rounds.contains(round_);
    });
    const process::Clock::time_point start = process::Clock::now();
    const double before_s = inside_s_;
    pairs_s_ = 0;
    for (const GateAssignment& assignment :
         cases_.due(round_, run::replicate_seed(setup_.gate.seed, round_))) {
      for (TimedCase* state : assignment.cases)
        any = measure_in_time(assignment.workers, *state) || any;
      side_by_side_.processes().end();
    }
    any = take_on() || any;
    const double round_s = process::seconds_since(start);
    outside_s_ += round_s - (inside_s_ - before_s);
    if (pairs_s_ > 0) cases_.set_start_s(round_s - pairs_s_);
    return any;
  }

  /// Measures cases for the first time while there is room for them, and again those that were too
  /// dear until others were decided.
  bool take_on() {
    std::optional<SideWorkers> running;
    bool any = false;
    const auto measure = [&](TimedCase& state) {
      const SideWorkers workers = workers_of(*state.gate_case);
      if (running && !(*running == workers)) side_by_side_.processes().end();
      running = workers;
      any = measure_in_time(workers, state) || any;
    };
    while (TimedCase* state = cases_.take_on(round_, left_s())) {
      measure(*state);
      if (cases_.is_too_dear(*state, left_s())) {
        state->aside = true;
        settle(*state,
               verdict_on(*state->gate_case, Verdict::not_measured,
                          fmt::format("one round takes {}; {}", units::duration(state->pair_s),
                                      why_not_measured(setup_, cases_))));
      }
    }
    while (TimedCase* state = cases_.take_on_again(round_, left_s())) measure(*state);
    if (running) side_by_side_.processes().end();
    cases_.foresee_all(outside_s());
    forecast();
    return any;
  }

  bool measure_in_time(const SideWorkers& workers, TimedCase& state) {
    process::Interrupt::check();
    const double start_s = side_by_side_.processes().running() ? 0 : cases_.start_s();
    if (left_s() <= start_s + std::max(0.0, state.pair_s)) return false;
    tick(state.gate_case->candidate.name);
    measure(workers, state);
    return true;
  }

  void measure(const SideWorkers& workers, TimedCase& state) {
    const process::Clock::time_point start = process::Clock::now();
    auto [results, one_by_one] =
        side_by_side_.measure(workers, *state.gate_case, [&] { return limits(state); });
    if (!one_by_one.empty())
      return settle(state,
                    too_large(setup_, *state.gate_case, state.pairs, state.screening, one_by_one));
    state.rounds.insert(round_);
    for (const Side side : both_sides)
      if (results[side]) inside_s_ += results[side]->measurement.total_ns / 1e9;
    ++executions_;
    // The first of a round has the processes started for all.
    const double starting_s = side_by_side_.processes().starting_s(),
                 pair_s = process::seconds_since(start) - starting_s;
    cases_.set_start_s(std::max(cases_.start_s(), starting_s));
    pairs_s_ += pair_s;
    if (!measures_energy(state)) {
      note_times(state, results, pair_s);
      cases_.foresee(state, outside_s());
    }
    tell_hangs(state, results);
    keep(workers, state, results);
  }

  run::CaseLimits limits(const TimedCase& state) const {
    run::Sampling sampling = setup_.sampling;
    if (measures_energy(state)) sampling.energy_s = setup_.energy_s;
    // Half for each side: one that loops leaves the other the time to show how long it should have
    // taken.
    return {sampling, cases_.block_s(state, outside_s()), setup_.case_timeout_s,
            std::max(left_s() / 2, 0.1)};
  }

  /// In one round of a case, which then takes longer than others.
  bool measures_energy(const TimedCase& state) const {
    return setup_.energy_s > 0 && state.pairs.rounds() == energy_round;
  }

  /// Wall time outside each execution so far, on both sides together.
  double outside_s() const { return executions_ == 0 ? 0 : outside_s_ / executions_; }

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
    gate::keep(state, {pair, analysis::shape_of(results.baseline->measurement.samples_ns,
                                                results.candidate->measurement.samples_ns)});
    look(state);
    const bool all =
        state.screening.over && state.pairs.rounds() >= setup_.plan.rounds(state.screening.suspect);
    if (!state.over && (all || cases_.is_disturbed(state)))
      settle(state, cases_.judge(state, true, all ? why_undecided(setup_, state) : "", 0));
  }

  /// Decides the case when its pairs have reached a look.
  void look(TimedCase& state) {
    if (analysis::is_at_look(setup_.plan, state.pairs.times, state.screening)) decide(state);
  }

  void decide(TimedCase& state) {
    if (state.over) return;
    const record::CaseVerdict verdict = cases_.judge(state, false, "", state.pairs.kept);
    if (verdict.verdict != Verdict::undecided) settle(state, verdict);
  }

  /// A case that cannot have enough rounds leaves what is left to those that wait.
  void give_up() {
    TimedCase* state = cases_.hopeless(left_s());
    if (state == nullptr) return;
    settle(*state, cases_.judge(*state, true, why_given_up(setup_, cases_), 0));
  }

  void screen() {
    for (TimedCase* state : cases_.screen()) decide(*state);
  }

  void settle(TimedCase& state, const record::CaseVerdict& verdict) {
    state.over = true;
    store::add(store_, setup_.gate.id, verdict);
    if (observer_.decided) observer_.decided(progress(state.gate_case->candidate.name), verdict);
  }

  /// Of a case that was taken on, and not decided before the budget was spent.
  record::CaseVerdict at_the_end(const TimedCase& state) const {
    const std::string why = why_undecided(setup_, state);
    if (state.pairs.rounds() == 0) return verdict_on(*state.gate_case, Verdict::not_measured, why);
    return cases_.judge(state, true, why, 0);
  }

  /// What the budget was not enough for, all with one reason and stored at once: it may be nearly
  /// all of very many.
  void leave_the_rest() {
    const std::string why = why_not_measured(setup_, cases_);
    std::vector<record::CaseVerdict> rest;
    for (TimedCase& state : cases_.all()) {
      if (state.over) continue;
      state.over = true;
      rest.push_back(verdict_on(*state.gate_case, Verdict::not_measured, why));
    }
    store::add(store_, setup_.gate.id, rest);
    if (!observer_.decided) return;
    GateProgress last = progress({});
    for (const record::CaseVerdict& verdict : rest) {
      last.case_name = verdict.case_name;
      observer_.decided(last, verdict);
    }
  }

  // ---- what is said

  /// Once the costs of a round are known, and again when the next one shows that they are others:
  /// blocks have grown, and what is done once in a process is over.
  void forecast() {
    if (forecast_ && round_ != forecast_round_ + 1) return;
    const std::optional<GateForecast> now = cases_.forecast(left_s());
    if (!now || (forecast_ && std::abs(now->wanted_s / forecast_->wanted_s - 1) <= other_costs))
      return;
    if (!forecast_) forecast_round_ = round_;
    forecast_ = now;
    if (observer_.forecast) observer_.forecast(*forecast_);
  }

  /// Once, after `pilot_rounds`, or after the first look where the budget will not last so long.
  void pilot() {
    const int done = round_ + 1;
    if (pilot_said_ || cases_.undecided() == 0 || done < setup_.plan.looks.front()) return;
    const int to_come = cases_.rounds_to_come(round_, left_s());
    if (done < pilot_rounds && done + to_come >= pilot_rounds) return;
    pilot_said_ = true;
    std::vector<record::CaseVerdict> verdicts;
    for (const TimedCase& state : cases_.all())
      if (!state.over && state.first_round)
        verdicts.push_back(cases_.judge(state, false, "", state.pairs.kept + to_come));
    if (forecast_ && observer_.forecast) {
      forecast_->smallest_effect = typical_effect(verdicts);
      observer_.forecast(*forecast_);
    }
    if (observer_.pilot) observer_.pilot(progress({}), verdicts);
  }

  GateProgress progress(const std::string& name) const {
    return {
        round_, cases_.rounds(round_),  cases_.undecided(), static_cast<int>(setup_.cases.size()),
        name,   std::max(left_s(), 0.0)};
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
  TimedCases cases_;
  int round_ = 0;
  // Wall time of all executions of cases, on both sides together, and around them: starting and
  // ending processes, and the books. `executions_` counts pairs.
  double inside_s_ = 0, outside_s_ = 0;
  int executions_ = 0;
  double pairs_s_ = 0;  // wall time of this round's pairs, beside the start of their processes
  std::optional<GateForecast> forecast_;  // once it was said
  int forecast_round_ = 0;                // in which it was said first
  bool pilot_said_ = false;
  std::string case_name_;
  SideBySide side_by_side_;
};

}  // namespace

record::RunStatus measure_times(const GateSetup& setup, store::Store& store,
                                const GateObserver& observer) {
  return proceed(TimedGate(setup, store, observer));
}

}  // namespace ridgeline::gate
