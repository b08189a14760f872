#include "harness/gate/timed_cases.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "harness/gate/setup.hpp"
#include "harness/run/order.hpp"

namespace ridgeline::gate {
namespace {

constexpr int pilot_pairs = 2;  // of a case, after which its cost is known
constexpr int most_tries = 3;   // cases, until one is kept although the budget does not decide it
constexpr double much_different = 1.25;
constexpr int most_behind = 2;    // rounds, of a case that others wait for
constexpr int doubted_pairs = 3;  // with fewer only what is many times slower is in doubt

/// On either side: what is measured, and for how long, must not depend on which one is slower.
bool seems_different(const TimedCase& state) {
  const double least = std::log(std::max(much_different, 1 + state.gate_case->rule.delta));
  return std::ranges::any_of(state.pairs.times, [&](const analysis::PairedTimes& pair) {
    return std::abs(std::log(pair.candidate_ns / pair.baseline_ns)) > least;
  });
}

RoundCosts costs_of(const TimedCase& state, double outside_s) {
  return {state.around_s / state.timed + outside_s, state.sample_s / state.timed};
}

}  // namespace

TimedCases::TimedCases(const GateSetup& setup)
    : setup_(setup), importance_(by_importance(setup.cases)) {
  std::map<std::string, TimedCase*> by_name;
  cases_.reserve(setup.cases.size());
  for (const GateCase& gate_case : setup.cases) {
    cases_.emplace_back().gate_case = &gate_case;
    by_name[gate_case.candidate.name] = &cases_.back();
  }
  for (const MeasuredPair& pair : setup.pairs)
    if (const auto found = by_name.find(pair.pair.case_name); found != by_name.end())
      keep(*found->second, pair);
  for (const record::CaseVerdict& verdict : setup.settled)
    if (const auto found = by_name.find(verdict.case_name); found != by_name.end()) {
      found->second->over = true;
      found->second->aside = verdict.verdict == record::Verdict::not_measured;
    }
  for (const std::size_t index : importance_)
    if (!cases_[index].first_round && !cases_[index].over) waiting_.push_back(&cases_[index]);
}

int TimedCases::latest_round() const {
  int latest = 0;
  for (const TimedCase& state : cases_)
    if (!state.rounds.empty()) latest = std::max(latest, *state.rounds.rbegin());
  return latest;
}

int TimedCases::undecided() const {
  return static_cast<int>(
      std::ranges::count_if(cases_, [](const TimedCase& each) { return !each.over; }));
}

int TimedCases::taken() const {
  return static_cast<int>(std::ranges::count_if(
      cases_, [](const TimedCase& each) { return each.first_round && !each.aside; }));
}

std::vector<GateAssignment> TimedCases::due(int round, std::uint64_t seed) {
  std::vector<GateAssignment> assignments;
  for (const std::size_t index : run::shuffled(cases_.size(), seed)) {
    TimedCase& state = cases_[index];
    if (state.over || !state.first_round || state.rounds.contains(round) ||
        state.pairs.rounds() >= setup_.plan.rounds(state.screening.suspect))
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

// ---- what rounds take

double TimedCases::block_s(const TimedCase& state, double outside_s) const {
  if (state.timed == 0) return setup_.sampling_s;
  const double share_s = setup_.budget_s / std::max(taken(), 1) / rounds_to_decide(setup_) -
                         2 * setup_.sampling.warmup_s;
  return gate::block_s(setup_.sampling_s, share_s, costs_of(state, outside_s));
}

void TimedCases::foresee(TimedCase& state, double outside_s) const {
  if (state.timed == 0) return;
  const double least_s = gate::block_s(setup_.sampling_s, 0, costs_of(state, outside_s));
  state.least_s = next_pair_s(state, least_s, setup_.sampling.max_samples);
  state.pair_s = std::max(state.pair_s, state.least_s);
}

void TimedCases::foresee_all(double outside_s) {
  for (TimedCase& state : cases_)
    if (!state.over && state.timed > 0)
      state.pair_s = next_pair_s(state, block_s(state, outside_s), setup_.sampling.max_samples);
}

// ---- what the budget is enough for

std::vector<Demand> TimedCases::demands(double start_s) const {
  std::vector<Demand> demands;
  const std::vector<int>& tail_looks = setup_.plan.tail_looks;
  for (const TimedCase& state : cases_) {
    if (state.over || !state.first_round) continue;
    // A suspect that was not tested does not pass.
    const int least = state.screening.suspect && !tail_looks.empty() ? tail_looks.front() : 0;
    demands.push_back(
        {state.pair_s > 0 ? state.pair_s : typical_pair_s(), state.pairs.rounds(), least});
  }
  if (!demands.empty()) std::ranges::min_element(demands, {}, &Demand::rounds)->pair_s += start_s;
  return demands;
}

double TimedCases::typical_s(double (*known_s)(const TimedCase&)) const {
  double kept_s = 0, aside_s = 0;
  int kept = 0, aside = 0;
  for (const TimedCase& state : cases_) {
    if (!(known_s(state) > 0)) continue;
    (state.aside ? aside_s : kept_s) += known_s(state);
    ++(state.aside ? aside : kept);
  }
  if (kept > 0) return kept_s / kept;
  return aside > 0 ? aside_s / aside : 0;
}

TimedCase* TimedCases::take_on(int round, double left_s) {
  if (waiting_.empty() || left_s <= 0) return nullptr;
  std::vector<Demand> all = demands();
  all.push_back({typical_pair_s(), 0});
  const bool room = all.size() == 1 || needed_s(all, rounds_to_decide(setup_)) <= left_s;
  if (!room && !setup_.spread) return nullptr;
  TimedCase* taken = waiting_.front();
  waiting_.pop_front();
  taken->first_round = round;
  return taken;
}

bool TimedCases::is_too_dear(const TimedCase& state, double left_s) const {
  const auto aside = std::ranges::count_if(cases_, &TimedCase::aside);
  const std::vector<Demand> open = demands(0);
  const bool others = open.size() > 1 || (!waiting_.empty() && aside < most_tries - 1);
  return !setup_.spread && !state.over && others && !seems_different(state) &&
         needed_s(open, rounds_to_decide(setup_)) > left_s;
}

bool TimedCases::has_aside() const { return std::ranges::any_of(cases_, &TimedCase::aside); }

TimedCase* TimedCases::take_on_again(int round, double left_s) {
  const std::vector<Demand> open = demands();
  // When nothing else would use the time, a verdict of any kind is worth it.
  const int rounds = open.empty() ? rounds_to_say_anything(setup_) : rounds_to_decide(setup_);
  for (const std::size_t index : importance_) {
    TimedCase& state = cases_[index];
    // A gap of a round tells a gate that goes on after an interruption that it was tried again.
    if (!state.aside || !(state.pair_s > 0) || round <= state.first_round.value_or(round) + 1)
      continue;
    std::vector<Demand> all = open;
    all.push_back({state.pair_s + (open.empty() ? start_s_ : 0), state.pairs.rounds()});
    if (needed_s(all, rounds) > left_s) continue;
    state.aside = state.over = false;
    state.first_round = round;
    return &state;
  }
  return nullptr;
}

TimedCase* TimedCases::hopeless(double left_s) {
  const std::vector<Demand> open = demands();
  if (setup_.spread || open.size() != 1 || open[0].rounds != pilot_pairs) return nullptr;
  const auto found = std::ranges::find_if(
      cases_, [](const TimedCase& each) { return !each.over && each.first_round; });
  const int rounds = seems_different(*found) ? doubted_pairs : rounds_to_say_anything(setup_);
  return needed_s(open, rounds) > left_s ? &*found : nullptr;
}

double TimedCases::wanted_s() const {
  const auto least_s = [](const TimedCase& state) {
    return state.least_s > 0 ? state.least_s : state.pair_s;
  };
  const double typical_least_s = typical_s(least_s);
  std::vector<Demand> all{{start_s_, 0}};
  for (const TimedCase& state : cases_)
    all.push_back({least_s(state) > 0 ? least_s(state) : typical_least_s, 0});
  return needed_s(all, rounds_to_decide(setup_));
}

std::optional<GateForecast> TimedCases::forecast(double left_s) const {
  GateForecast said;
  said.cases = static_cast<int>(cases_.size());
  said.taken = taken();
  int had = 1;
  for (const Demand& each : demands()) {
    said.round_s += each.pair_s;
    had = std::max(had, each.rounds);
  }
  if (!(said.round_s > 0)) return std::nullopt;
  said.all_round_s = start_s_;
  for (const TimedCase& state : cases_)
    said.all_round_s += state.pair_s > 0 ? state.pair_s : typical_pair_s();
  const auto fit = [&](double round_s) {
    const double more = std::max(left_s, 0.0) / round_s, most = setup_.plan.rounds(true);
    return static_cast<int>(std::min(had + more, most));
  };
  said.rounds = fit(said.round_s);
  said.all_rounds = fit(said.all_round_s);
  said.least_rounds = least_rounds(setup_);
  said.wanted_s = wanted_s();
  said.enough = said.taken == said.cases && said.wanted_s <= setup_.budget_s;
  return said;
}

int TimedCases::rounds(int round) const {
  int last = 0;
  for (const TimedCase& state : cases_)
    if (!state.over)
      last = std::max(
          last, state.first_round.value_or(round) + setup_.plan.rounds(state.screening.suspect));
  return last;
}

int TimedCases::rounds_to_come(int round, double left_s) const {
  double round_s = 0;
  for (const Demand& each : demands()) round_s += each.pair_s;
  const int by_plan = rounds(round) - round - 1;
  if (!(round_s > 0)) return by_plan;
  return static_cast<int>(std::min<double>(by_plan, std::floor(std::max(left_s, 0.0) / round_s)));
}

// ---- what the pairs say

std::vector<TimedCase*> TimedCases::screen() {
  std::map<int, std::vector<TimedCase*>> together;
  for (TimedCase& state : cases_)
    if (state.first_round && !state.aside && !state.pairs.times.empty() && !state.screening.over)
      together[*state.first_round].push_back(&state);
  std::vector<TimedCase*> screened;
  for (const auto& [first_round, cases] : together) {
    int most = 0;
    for (const TimedCase* state : cases) most = std::max(most, state->pairs.rounds());
    // One that cannot be measured any more does not hold up the others.
    const bool ready = std::ranges::all_of(cases, [&](const TimedCase* state) {
      const int rounds = state->pairs.rounds();
      return state->over || rounds >= setup_.plan.screening_rounds || rounds + most_behind < most;
    });
    if (!ready) continue;
    choose_suspects(cases);
    screened.insert(screened.end(), cases.begin(), cases.end());
  }
  return screened;
}

void TimedCases::choose_suspects(const std::vector<TimedCase*>& together) {
  int suspects = 0;
  for (TimedCase* state : together) {
    state->screening.over = true;
    state->screening.suspect = analysis::is_suspect(setup_.plan, state->gate_case->rule,
                                                    setup_.gate.cases, state->pairs.times);
    suspects += state->screening.suspect ? 1 : 0;
  }
  for (TimedCase* state : together)
    state->screening.share =
        static_cast<double>(together.size()) / setup_.gate.cases / std::max(suspects, 1);
}

record::CaseVerdict TimedCases::judge(const TimedCase& state, bool last, const std::string& reason,
                                      int max_pairs) const {
  return gate::judge(setup_, *state.gate_case, state.pairs, state.screening, last, reason,
                     max_pairs);
}

bool TimedCases::is_disturbed(const TimedCase& state) const {
  const int first = setup_.plan.looks.front(), kept = state.pairs.kept,
            dropped = state.pairs.dropped - state.pairs.dropped_alone.candidate;
  return !state.over && dropped >= first && kept < first && 4 * kept < dropped;
}

}  // namespace ridgeline::gate
