#include "ci/studies/simulated_gates/simulated_gate.hpp"

#include <fmt/format.h>

namespace ridgeline::analysis::study {

Setting setting_of(const Noise& noise, std::optional<int> screening_rounds) {
  Setting setting{plan_for(noise.device), {}};
  setting.rule.delta = default_delta(noise.device);
  if (screening_rounds) setting.plan.screening_rounds = *screening_rounds;
  return setting;
}

std::string Setting::text() const {
  return fmt::format("{} {} {} {}", plan.screening_rounds, rule.delta, samples,
                     to_string(location));
}

SimulatedCase::SimulatedCase(const Setting& setting, const Noise& noise, const Plant& plant,
                             Random& random)
    : setting_(setting), source_(noise, plant, setting.samples, random, setting.location) {}

void SimulatedCase::decide(bool last) {
  decision_ =
      analysis::decide(setting_.plan, setting_.rule, cases_of_a_suite, pairs_, last, screening_);
}

bool SimulatedCase::screen() {
  while (rounds() < setting_.plan.screening_rounds && !decision_.decided) {
    pairs_.push_back(source_.next());
    if (is_at_look(setting_.plan, pairs_, screening_)) decide(false);
  }
  screening_.over = true;
  screening_.suspect =
      !decision_.decided && is_suspect(setting_.plan, setting_.rule, cases_of_a_suite, pairs_);
  return screening_.suspect;
}

void SimulatedCase::finish(int suspects) {
  if (decision_.decided) return;
  if (suspects > 0) screening_.share = 1.0 / suspects;
  if (!pairs_.empty()) decide(false);
  while (!decision_.decided && rounds() < setting_.plan.rounds(screening_.suspect)) {
    pairs_.push_back(source_.next());
    if (is_at_look(setting_.plan, pairs_, screening_)) decide(false);
  }
  if (!decision_.decided) decide(true);
}

SuiteEnd run_suite(const Setting& setting, const Noise& noise, const Plant& plant, Random& random) {
  std::vector<SimulatedCase> cases;
  cases.reserve(cases_of_a_suite);
  SuiteEnd end;
  for (int i = 0; i < cases_of_a_suite; ++i) {
    cases.emplace_back(setting, noise, plant, random);
    end.suspects += cases.back().screen() ? 1 : 0;
  }
  for (SimulatedCase& each : cases) {
    each.finish(end.suspects);
    const record::Verdict verdict = each.decision().verdict;
    end.tails += verdict == record::Verdict::tail ? 1 : 0;
    end.regressions += verdict == record::Verdict::regression ? 1 : 0;
    end.passes += verdict == record::Verdict::pass ? 1 : 0;
    end.rounds += static_cast<double>(each.rounds()) / cases_of_a_suite;
  }
  return end;
}

int without_one(int suspects, Random& random) {
  return suspects - (random.chance(static_cast<double>(suspects) / cases_of_a_suite) ? 1 : 0);
}

CaseEnd run_case(const Setting& setting, const Noise& noise, const Plant& plant, int other_suspects,
                 Random& random) {
  SimulatedCase one(setting, noise, plant, random);
  const bool suspect = one.screen();
  one.finish(other_suspects + (suspect ? 1 : 0));
  return {one.decision(), one.rounds()};
}

}  // namespace ridgeline::analysis::study
