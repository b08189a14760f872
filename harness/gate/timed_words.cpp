#include "harness/gate/timed_words.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::gate {

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

std::string tails_in_reach(const GateSetup& setup, const TimedCases& cases) {
  const auto [screened, suspects] = cases.screened();
  const analysis::TailReach reach =
      analysis::tail_reach(setup.plan, setup.gate.alpha / std::max(suspects, 1));
  if (screened == 0 || reach.rounds == 0) return {};
  return fmt::format(
      "tails: of {}, {} {} suspect; with all rounds, {} of {} slow processes would have shown a "
      "tail, or {} with slow launches",
      units::plural(screened, "case"), suspects == 0 ? "none" : fmt::format("{}", suspects),
      suspects > 1 ? "were" : "was", reach.processes, reach.rounds, reach.launches);
}

std::optional<double> typical_effect(const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<double> effects;
  for (const record::CaseVerdict& verdict : verdicts)
    if (verdict.smallest_effect) effects.push_back(*verdict.smallest_effect);
  if (effects.empty()) return std::nullopt;
  return stats::median(effects);
}

}  // namespace ridgeline::gate
