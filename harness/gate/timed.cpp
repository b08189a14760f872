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
#include "harness/process/interrupt.hpp"
#include "harness/run/order.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::gate {
namespace {

using record::Verdict;

constexpr int pilot_rounds = 12;  // after which the gate says what it can find

/// A case with what has become of it.
struct CaseState {
  const GateCase* gate_case = nullptr;
  CasePairs pairs;
  std::set<int> rounds;  // measured
  bool over = false;     // has its verdict
  double pair_s = 0;     // what its next round needs, by the latest: each side has half of the time
  double longest_s = 0;  // of all executions that ended, on either side
  std::string cut;       // what the end of the budget cut off; empty when it did not
  // What its rounds took so far on both sides: around sampling and warming up, and for a sample.
  // How many.
  double around_s = 0, sample_s = 0;
  int timed = 0;
};

/// The cases that one pair of processes measures, in order.
struct GateAssignment {
  SideWorkers workers;
  std::vector<CaseState*> cases;
};

/// The course of a gate that measures times.
class TimedGate {
 public:
  TimedGate(const GateSetup& setup, store::Store& store, const GateObserver& observer)
      : setup_(setup),
        store_(store),
        observer_(observer),
        rounds_(setup.plan.looks.back()),
        side_by_side_(
            setup, store, [this] { tick(); }, observer.note) {
    std::map<std::string, CaseState*> by_name;
    cases_.reserve(setup.cases.size());
    for (const GateCase& gate_case : setup.cases) {
      cases_.emplace_back().gate_case = &gate_case;
      by_name[gate_case.candidate.name] = &cases_.back();
    }
    for (const record::Pair& pair : setup.pairs) {
      const auto found = by_name.find(pair.case_name);
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
    for (CaseState& state : cases_) look(state);
    for (; round_ < rounds_ && undecided() > 0 && left_s() > 0; ++round_) {
      if (!round()) break;
      pilot();
    }
    for (CaseState& state : cases_)
      if (!state.over)
        settle(state, judge(setup_, *state.gate_case, state.pairs, true, why_undecided(state), 0));
  }

  void interrupt() {
    side_by_side_.processes().kill();
    for (CaseState& state : cases_)
      if (!state.over) {
        record::CaseVerdict verdict =
            judge(setup_, *state.gate_case, state.pairs, false, "", setup_.plan.looks.back());
        verdict.reason = "the gate was interrupted";
        store::add(store_, setup_.gate.id, verdict);
      }
  }

 private:
  double left_s() const { return setup_.budget_s - process::seconds_since(start_); }
  int undecided() const {
    return static_cast<int>(
        std::ranges::count_if(cases_, [](const CaseState& each) { return !each.over; }));
  }

  // ---- rounds

  /// The cases that are left, in the round's order: those of the same workers together, under a
  /// launcher of the same rank counts, too.
  std::vector<GateAssignment> assignments() {
    std::vector<GateAssignment> assignments;
    for (const std::size_t index : run::shuffled(cases_.size(), seed_)) {
      CaseState& state = cases_[index];
      if (state.over || state.rounds.contains(round_)) continue;
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
      for (CaseState* state : assignment.cases) {
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

  void measure(const SideWorkers& workers, CaseState& state) {
    const process::Clock::time_point start = process::Clock::now();
    auto [results, one_by_one] =
        side_by_side_.measure(workers, *state.gate_case, [&] { return limits(state); });
    if (!one_by_one.empty())
      return settle(state, too_large(*state.gate_case, state.pairs, one_by_one));
    state.rounds.insert(round_);
    note_times(state, results, process::seconds_since(start));
    tell_hangs(state, results);
    keep(workers, state, results);
  }

  run::CaseLimits limits(const CaseState& state) const {
    // Half for each side: one that loops leaves the other the time to show how long it should have
    // taken.
    return {setup_.sampling, block_s(state), setup_.case_timeout_s, std::max(left_s() / 2, 0.1)};
  }

  double block_s(const CaseState& state) const {
    if (state.timed == 0) return setup_.sampling_s;
    const double share_s =
        setup_.budget_s / static_cast<double>(cases_.size()) / affordable_rounds -
        2 * setup_.sampling.warmup_s;
    return gate::block_s(
        setup_.sampling_s, share_s,
        {state.around_s / state.timed + outside_s_ / executions_, state.sample_s / state.timed});
  }

  void note_times(CaseState& state, const Sides<std::optional<run::CaseResult>>& results,
                  double pair_s) {
    double around_s = 0, sample_s = 0;
    state.pair_s = pair_s;
    for (const Side side : both_sides) {
      if (!results[side]) continue;
      const record::Measurement& m = results[side]->measurement;
      inside_s_ += m.total_ns / 1e9;
      if (!m.median_ns) continue;
      state.pair_s = std::max(state.pair_s, 2 * m.total_ns / 1e9);
      state.longest_s = std::max(state.longest_s, m.total_ns / 1e9);
      around_s += (m.total_ns - m.warmup_ns) / 1e9 - results[side]->sampling_s;
      sample_s += *m.median_ns * static_cast<double>(m.executions_per_sample) / 1e9;
    }
    ++executions_;
    state.around_s += around_s;
    state.sample_s += sample_s;
    ++state.timed;
  }

  /// What the end of the budget has cut off is a timeout of the case when it took out of all
  /// proportion; else it says nothing about it.
  static void tell_hangs(CaseState& state, Sides<std::optional<run::CaseResult>>& results) {
    for (const Side side : both_sides) {
      if (!results[side] || !results[side]->out_of_budget) continue;
      record::Measurement& m = results[side]->measurement;
      const double spent_s = m.total_ns / 1e9;
      if (hangs(spent_s, state.longest_s)) {
        results[side]->out_of_budget = false;
        m.reason =
            fmt::format("{}, {} after the case was begun, which never took longer than {} before",
                        m.reason, units::duration(spent_s), units::duration(state.longest_s));
      } else {
        state.cut = fmt::format("; the {} did not finish within the {} that it had left",
                                to_string(side), units::duration(spent_s));
      }
    }
  }

  // ---- what was measured

  void keep(const SideWorkers& workers, CaseState& state,
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
    keep_pair(state, pair);
    look(state);
    if (hopeless(state)) settle(state, judge(setup_, each, state.pairs, true, {}, 0));
  }

  /// Whether nearly every round is disturbed, so that going on would only take time from other
  /// cases.
  bool hopeless(const CaseState& state) const {
    const int kept = static_cast<int>(state.pairs.times.size()), first = setup_.plan.looks.front();
    return !state.over && state.pairs.dropped >= first && kept < first &&
           4 * kept < state.pairs.dropped;
  }

  static void keep_pair(CaseState& state, const record::Pair& pair) {
    state.rounds.insert(pair.round);
    add(state.pairs, pair);
  }

  /// Decides the case when its pairs have reached a look.
  void look(CaseState& state) {
    const int kept = static_cast<int>(state.pairs.times.size());
    if (state.over || !std::ranges::binary_search(setup_.plan.looks, kept)) return;
    const record::CaseVerdict verdict =
        judge(setup_, *state.gate_case, state.pairs, false, "", kept);
    if (verdict.verdict != Verdict::undecided) settle(state, verdict);
  }

  void settle(CaseState& state, const record::CaseVerdict& verdict) {
    state.over = true;
    store::add(store_, setup_.gate.id, verdict);
    if (observer_.decided) observer_.decided(progress(state.gate_case->candidate.name), verdict);
  }

  std::string why_undecided(const CaseState& state) const {
    const auto kept = std::ssize(state.pairs.times);
    const std::string pairs = units::plural(kept, "pair");
    if (static_cast<int>(state.rounds.size()) >= rounds_)
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
    for (const CaseState& state : cases_)
      if (!state.over)
        verdicts.push_back(judge(setup_, *state.gate_case, state.pairs, false, "",
                                 static_cast<int>(state.pairs.times.size()) + to_come));
    if (observer_.pilot) observer_.pilot(progress({}), verdicts);
  }

  /// Rounds that the cases that are left can still have.
  int rounds_to_come() const {
    double round_s = 0;
    for (const CaseState& state : cases_)
      if (!state.over) round_s += state.pair_s;
    const int by_plan = rounds_ - round_ - 1;
    if (!(round_s > 0)) return by_plan;
    return static_cast<int>(
        std::min<double>(by_plan, std::floor(std::max(left_s(), 0.0) / round_s)));
  }

  GateProgress progress(const std::string& name) const {
    return {round_,      rounds_,
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
  std::vector<CaseState> cases_;
  int round_ = 0, rounds_;
  // Wall time of all executions of cases, on both sides together, and around them: starting and
  // ending processes, and the books. `executions_` counts pairs.
  double inside_s_ = 0, outside_s_ = 0;
  int executions_ = 0;
  std::uint64_t seed_ = 0;  // of the round
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
