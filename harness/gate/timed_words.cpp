#include "harness/gate/timed_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/units.hpp"
#include "harness/record/case.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::gate {
namespace {

/// The least and the most that `number` makes of a case: "8", or "8 to 11".
template <class Number>
std::string range_of(const std::vector<const TimedCase*>& cases, const Number& number) {
  std::vector<int> numbers;
  for (const TimedCase* state : cases) numbers.push_back(number(*state));
  const auto [least, most] = std::ranges::minmax(numbers);
  return least == most ? fmt::to_string(least) : fmt::format("{} to {}", least, most);
}

int rounds_tested(const analysis::GatePlan& plan, const TimedCase& state) {
  return static_cast<int>(
      std::ranges::count_if(state.pairs.times, [&](const analysis::PairedTimes& pair) {
        return pair.round >= plan.screening_rounds && pair.disturbed != analysis::Disturbed::both;
      }));
}

/// Of a process in the median of the case's pairs.
int samples_of(const TimedCase& state) {
  std::vector<double> samples;
  for (const analysis::PairedTimes& pair : state.pairs.times) samples.push_back(pair.shape.samples);
  return static_cast<int>(stats::median(samples));
}

}  // namespace

std::string why_undecided(const GateSetup& setup, const TimedCase& state) {
  const int kept = state.pairs.kept;
  const std::string pairs = units::plural(kept, "pair");
  if (state.pairs.rounds() >= setup.plan.rounds(state.screening.suspect))
    return fmt::format("after all rounds, with {}", pairs);
  return fmt::format("the budget of {} was spent after {}{}", units::duration(setup.budget_s),
                     kept == 0 ? "no pair" : pairs, state.cut);
}

std::string why_given_up(const GateSetup& setup, const TimedCases& cases) {
  return fmt::format(
      "the budget of {} ends before {} of its rounds, and with fewer nothing can be said; all "
      "cases need about {}",
      units::duration(setup.budget_s), rounds_to_say_anything(setup),
      units::duration(cases.wanted_s()));
}

std::string why_not_measured(const GateSetup& setup, const TimedCases& cases) {
  return fmt::format("the budget of {} was enough for {} of {} cases; all of them need about {}",
                     units::duration(setup.budget_s), cases.taken(), setup.cases.size(),
                     units::duration(cases.wanted_s()));
}

std::string tails_in_reach(const GateSetup& setup, const TimedCases& cases, bool all_rounds) {
  std::vector<const TimedCase*> screened, suspects;
  for (const TimedCase& state : cases.all()) {
    if (state.screening.over) screened.push_back(&state);
    if (state.screening.suspect) suspects.push_back(&state);
  }
  if (screened.empty() || setup.plan.tail_looks.empty()) return {};
  const std::vector<const TimedCase*>& asked = suspects.empty() ? screened : suspects;
  const auto each = [&](const auto& number) { return range_of(asked, number); };
  const auto reach = [&](const TimedCase& state) {
    return analysis::tail_reach(setup.plan, state.gate_case->rule.alpha * state.screening.share);
  };
  std::string text =
      fmt::format("tails: of {}, {} {} suspect", units::plural(std::ssize(screened), "case"),
                  suspects.empty() ? "none" : fmt::to_string(suspects.size()),
                  suspects.size() > 1 ? "were" : "was");
  if (!suspects.empty() || all_rounds)
    text += fmt::format(
        "; in {} rounds after the screening, {} slow processes of the candidate against none show "
        "a tail, or {} with slow launches",
        reach(*asked.front()).rounds,
        each([&](const TimedCase& state) { return reach(state).processes; }),
        each([&](const TimedCase& state) { return reach(state).launches; }));
  if (!suspects.empty())
    text +=
        fmt::format("; {} were measured",
                    each([&](const TimedCase& state) { return rounds_tested(setup.plan, state); }));
  text += fmt::format(
      "; a process had {} samples, which show one slow launch in 20 with a chance of {}%",
      each(samples_of), each([](const TimedCase& state) {
        return static_cast<int>(std::lround(100 * (1 - std::pow(1 - 1. / 20, samples_of(state)))));
      }));
  if (std::ranges::any_of(asked, [](const TimedCase* state) {
        return record::launch_of(state->gate_case->candidate.info.id) != "single";
      }))
    text += ", but for samples of many launches, which hide one (launch=single has none)";
  return text;
}

std::optional<double> typical_effect(const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<double> effects;
  for (const record::CaseVerdict& verdict : verdicts)
    if (verdict.smallest_effect) effects.push_back(*verdict.smallest_effect);
  if (effects.empty()) return std::nullopt;
  return stats::median(effects);
}

}  // namespace ridgeline::gate
