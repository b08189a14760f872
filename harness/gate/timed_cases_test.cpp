#include "harness/gate/timed_cases.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::gate {
namespace timed_cases_test {

using record::Verdict;

/// Cases of two variants, a and b, of several sizes, on the same workers.
GateSetup setup_of(int cases, double budget_s) {
  static const run::Worker worker;
  GateSetup setup;
  setup.plan = analysis::plan_for(DeviceKind::cpu);
  setup.budget_s = budget_s;
  setup.gate.alpha = .01;
  setup.gate.cases = cases;
  for (int i = 0; i < cases; ++i) {
    GateCase each;
    for (const Side side : both_sides) {
      each[side].worker = &worker;
      each[side].info.id = {
          "scan", i < cases / 2 ? "a" : "b", "f32", {{"n", std::to_string(i)}}, {}};
      each[side].name = record::name(each[side].info.id);
    }
    setup.cases.push_back(each);
  }
  return setup;
}

MeasuredPair pair_of(const TimedCase& state, int round, double ratio = 1,
                     const record::Drop& dropped = {}) {
  MeasuredPair made;
  made.pair.case_name = state.gate_case->candidate.name;
  made.pair.round = round;
  made.pair.baseline_ns = 100;
  made.pair.candidate_ns = 100 * ratio;
  made.pair.dropped = dropped;
  return made;
}

/// One round of a case that took so long.
void measure(TimedCase& state, int round, double pair_s, double ratio = 1) {
  keep(state, pair_of(state, round, ratio));
  state.pair_s = pair_s;
  state.timed = 1;
}

TEST(Admission, ABudgetForAllTakesOnAll) {
  const GateSetup setup = setup_of(8, 600);
  TimedCases cases(setup);
  int taken = 0;
  while (TimedCase* state = cases.take_on(0, 600)) {
    measure(*state, 0, 1);
    ++taken;
  }
  EXPECT_EQ(taken, 8);
  const GateForecast said = cases.forecast(592).value();
  EXPECT_TRUE(said.enough);
  EXPECT_EQ(said.rounds, 60) << "which is all of them";
}

TEST(Admission, AShortBudgetTakesOnWhatItDecidesOneOfEachVariantFirst) {
  const GateSetup setup = setup_of(8, 60);
  ASSERT_EQ(least_rounds(setup), 10);
  ASSERT_EQ(rounds_to_decide(setup), 14);
  TimedCases cases(setup);
  double left_s = 60;
  std::vector<std::string> names;
  while (TimedCase* state = cases.take_on(0, left_s)) {
    names.push_back(state->gate_case->candidate.name);
    measure(*state, 0, 1);
    left_s -= 1;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"scan/a/f32/n=0", "scan/b/f32/n=4", "scan/a/f32/n=1",
                                             "scan/b/f32/n=5"}));
  const GateForecast said = cases.forecast(left_s).value();
  EXPECT_EQ(said.cases, 8);
  EXPECT_EQ(said.taken, 4);
  EXPECT_FALSE(said.enough);
  EXPECT_EQ(said.round_s, 4);
  EXPECT_EQ(said.rounds, 1 + 56 / 4);
  EXPECT_EQ(said.all_round_s, 8);
  EXPECT_EQ(said.all_rounds, 1 + 56 / 8);
  EXPECT_EQ(said.least_rounds, 10);
  EXPECT_EQ(said.wanted_s, 8 * 14);
  // Room for others comes when some are decided, and they are screened on their own.
  for (TimedCase& state : cases.all()) state.over = state.first_round.has_value();
  TimedCase* later = cases.take_on(9, 30);
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(later->first_round, 9);
}

TEST(Admission, ADearCaseDoesNotTakeTheTimeOfTheOthers) {
  const GateSetup setup = setup_of(8, 100);
  TimedCases cases(setup);
  TimedCase* cheap = cases.take_on(0, 100);
  measure(*cheap, 0, 1);
  EXPECT_FALSE(cases.is_too_dear(*cheap, 99));
  TimedCase* dear = cases.take_on(0, 99);
  measure(*dear, 0, 20);
  EXPECT_TRUE(cases.is_too_dear(*dear, 79));
  EXPECT_EQ(cases.take_on(0, 79), nullptr);
  dear->aside = dear->over = true;
  EXPECT_NE(cases.take_on(0, 79), nullptr) << "what was set aside tells nothing of the others";
}

/// One round of a case that takes `around_s` to prepare and verify, with the shortest block.
void measure_dear(const TimedCases& cases, TimedCase& state, int round, double around_s) {
  const double sampled_s = .06;
  measure(state, round, around_s + sampled_s);
  state.around_s = state.unsampled_s = around_s;
  state.sample_s = .001;
  cases.foresee(state, 0);
}

TEST(Admission, ACaseThatIsDearToPrepareIsPlannedAsItWillBeSampled) {
  GateSetup setup = setup_of(4, 260);
  setup.sampling_s = .03;
  setup.sampling.max_samples = 10'000;
  setup.sampling.warmup_s = 0;
  ASSERT_EQ(rounds_to_decide(setup), 13);
  TimedCases cases(setup);
  const double pair_s = 4.3 + 2.15;  // half of what is around it goes into sampling
  double left_s = 260;
  int taken = 0;
  while (TimedCase* state = cases.take_on(0, left_s)) {
    measure_dear(cases, *state, 0, 4.3);
    EXPECT_NEAR(state->pair_s, pair_s, 1e-12);
    left_s -= 4.36;
    ++taken;
  }
  EXPECT_EQ(taken, 3) << "four would need " << 4 * 13 * pair_s << " s";
  cases.foresee_all(0);
  const GateForecast said = cases.forecast(left_s).value();
  EXPECT_FALSE(said.enough);
  EXPECT_NEAR(said.wanted_s, 4 * 13 * pair_s, 1e-9);
  // What they share is more than they must have, and is used: no more rounds than decide.
  EXPECT_NEAR(said.round_s, 260. / 13, 1e-9);
  EXPECT_EQ(said.rounds, 13);
}

TEST(Admission, ABlockThatEndsByItsSamplesDoesNotGrow) {
  GateSetup setup = setup_of(1, 260);
  setup.sampling_s = .03;
  setup.sampling.max_samples = 25;
  TimedCases cases(setup);
  TimedCase& only = *cases.take_on(0, 260);
  measure_dear(cases, only, 0, 4.3);
  cases.foresee_all(0);
  EXPECT_NEAR(only.pair_s, 4.3 + 25 * .001, 1e-12);
}

TEST(Admission, NoCaseIsTooDearForTheStartOfItsProcesses) {
  const GateSetup setup = setup_of(10, 15);
  TimedCases cases(setup);
  TimedCase* first = cases.take_on(0, 15);
  measure(*first, 0, .1);
  cases.set_start_s(1.5);
  EXPECT_FALSE(cases.is_too_dear(*first, 13.4));
  EXPECT_EQ(cases.take_on(0, 13.4), nullptr) << "but the start takes its part of each round";
  const GateForecast said = cases.forecast(13.4).value();
  EXPECT_NEAR(said.round_s, 1.6, 1e-12);
  EXPECT_NEAR(said.all_round_s, 2.5, 1e-12);
  EXPECT_NEAR(said.wanted_s, 14 * 2.5, 1e-12);
}

TEST(Admission, WhatWasTooDearIsTriedAgainWhenTheOthersAreDecided) {
  GateSetup setup = setup_of(2, 300);
  TimedCases cases(setup);
  const auto keep_pair = [&](TimedCase& state, int round, double pair_s) {
    measure(state, round, pair_s);
    setup.pairs.push_back(pair_of(state, round));
  };
  TimedCase *cheap = cases.take_on(0, 300), *dear = cases.take_on(0, 299);
  keep_pair(*cheap, 0, 2);
  keep_pair(*dear, 0, 22);
  dear->aside = dear->over = true;
  EXPECT_TRUE(cases.has_aside());
  EXPECT_EQ(cases.take_on_again(1, 250), nullptr) << "which could not be told from going on";
  for (int round = 1; round < 6; ++round) keep_pair(*cheap, round, 2);
  EXPECT_EQ(cases.take_on_again(6, 250), nullptr) << "the other needs as much";
  cheap->over = true;
  EXPECT_EQ(cases.take_on_again(6, 87), nullptr);
  EXPECT_EQ(cases.take_on_again(6, 89), dear) << "five rounds are enough for a pass";
  EXPECT_FALSE(cases.has_aside());
  EXPECT_FALSE(dear->over);
  EXPECT_EQ(cases.due(6, 1).front().cases, std::vector<TimedCase*>{dear});
  keep_pair(*dear, 6, 22);
  EXPECT_EQ(dear->first_round, 6) << "of those that it is screened with";
  // A gate that goes on after an interruption knows as much.
  TimedCases resumed(setup);
  EXPECT_EQ(resumed.all()[0].first_round, 0);
  EXPECT_EQ(resumed.all()[1].first_round, 6);
}

TEST(Admission, CasesOfTheSameCodeComeLast) {
  GateSetup setup = setup_of(6, 600);
  for (const int same : {0, 1, 3}) setup.cases[static_cast<std::size_t>(same)].same_code = true;
  EXPECT_EQ(by_importance(setup.cases), (std::vector<std::size_t>{2, 4, 5, 0, 3, 1}));
}

TEST(Admission, CasesWhoseCountsDifferComeFirst) {
  GateSetup setup = setup_of(6, 600);
  for (const int b : {3, 4, 5}) setup.cases[static_cast<std::size_t>(b)].counts_differ = true;
  EXPECT_EQ(by_importance(setup.cases), (std::vector<std::size_t>{3, 4, 5, 0, 1, 2}));
}

TEST(Admission, WhatSeemsToDifferMuchIsNotSetAsideWhicheverSideIsSlower) {
  const GateSetup setup = setup_of(8, 100);
  const auto is_too_dear = [&](double ratio) {
    TimedCases cases(setup);
    measure(*cases.take_on(0, 100), 0, 1);
    TimedCase* slow = cases.take_on(0, 99);
    measure(*slow, 0, 20, ratio);
    return cases.is_too_dear(*slow, 79);
  };
  EXPECT_FALSE(is_too_dear(100));
  EXPECT_FALSE(is_too_dear(0.01)) << "or what is measured would depend on which side is slower";
  EXPECT_TRUE(is_too_dear(1.2));
  EXPECT_TRUE(is_too_dear(1 / 1.2));
}

TEST(Admission, AResumedGateKnowsWhatItsCasesCost) {
  GateSetup setup = setup_of(8, 100);
  {
    TimedCases cases(setup);
    setup.pairs.push_back(pair_of(*cases.take_on(0, 100), 0));
    setup.pairs.back().pair_s = 6;
  }
  EXPECT_EQ(TimedCases(setup).take_on(0, 100), nullptr);
  EXPECT_NE(TimedCases(setup).take_on(0, 200), nullptr);
}

TEST(Admission, WhenTheFirstIsTooDearOthersAreTried) {
  const GateSetup setup = setup_of(8, 100);
  TimedCases cases(setup);
  for (int i = 0; i < 2; ++i) {
    TimedCase* dear = cases.take_on(0, 100);
    ASSERT_NE(dear, nullptr);
    measure(*dear, 0, 20);
    EXPECT_TRUE(cases.is_too_dear(*dear, 80));
    dear->aside = dear->over = true;
  }
  TimedCase* third = cases.take_on(0, 40);
  measure(*third, 0, 20);
  EXPECT_FALSE(cases.is_too_dear(*third, 20)) << "enough was tried";
  EXPECT_EQ(cases.take_on(0, 20), nullptr);
}

TEST(Admission, SpreadTakesOnAllInAnyBudget) {
  GateSetup setup = setup_of(8, 60);
  setup.spread = true;
  TimedCases cases(setup);
  int taken = 0;
  while (TimedCase* state = cases.take_on(0, 1)) {
    measure(*state, 0, 100);
    ++taken;
  }
  EXPECT_EQ(taken, 8);
  EXPECT_EQ(cases.hopeless(1), nullptr);
  EXPECT_EQ(cases.forecast(1).value().rounds, 1);
}

TEST(Admission, OneCaseThatCannotHaveEnoughRoundsIsHopelessOnceItsCostIsKnown) {
  const GateSetup setup = setup_of(2, 10);
  TimedCases cases(setup);
  TimedCase* only = cases.take_on(0, 10);
  ASSERT_NE(only, nullptr);
  measure(*only, 0, 4);
  EXPECT_EQ(cases.take_on(0, 6), nullptr);
  EXPECT_EQ(cases.hopeless(2), nullptr) << "the first round may have been dear";
  measure(*only, 1, 1);
  EXPECT_EQ(cases.hopeless(2.9), only);
  EXPECT_EQ(cases.hopeless(3.1), nullptr) << "five rounds are enough for a pass";
}

TEST(Admission, WhatSeemsToDifferMuchIsMeasuredUntilItCanBeDoubted) {
  const GateSetup setup = setup_of(2, 10);
  const auto is_hopeless = [&](double ratio, double left_s) {
    TimedCases cases(setup);
    TimedCase* only = cases.take_on(0, 10);
    measure(*only, 0, 1, ratio);
    measure(*only, 1, 1, ratio);
    return cases.hopeless(left_s) == only;
  };
  for (const double ratio : {10.0, 0.1}) {
    EXPECT_FALSE(is_hopeless(ratio, 1.1)) << "the third pair fits";
    EXPECT_TRUE(is_hopeless(ratio, 0.9));
  }
  EXPECT_TRUE(is_hopeless(1, 1.1));
}

TEST(Admission, ASuspectKeepsTheTimeOfItsFirstTestFromOthers) {
  const GateSetup setup = setup_of(4, 600);
  const int screened = setup.plan.screening_rounds, first_test = setup.plan.tail_looks.front();
  const auto takes_on = [&](bool is_suspect, double left_s) {
    TimedCases cases(setup);
    TimedCase* first = cases.take_on(0, 600);
    for (int round = 0; round < screened; ++round)
      measure(*first, round, 1, is_suspect && round < 3 ? 1.5 : 1);
    cases.screen();
    EXPECT_EQ(first->screening.suspect, is_suspect);
    return cases.take_on(screened, left_s) != nullptr;
  };
  const int rounds = rounds_to_decide(setup);
  EXPECT_TRUE(takes_on(false, rounds - screened + rounds + 0.1));
  EXPECT_FALSE(takes_on(false, rounds - screened + rounds - 0.1));
  EXPECT_TRUE(takes_on(true, first_test - screened + rounds + 0.1));
  EXPECT_FALSE(takes_on(true, first_test - screened + rounds - 0.1));
}

TEST(Screening, IsOfTheCasesThatWereTakenOnTogether) {
  const GateSetup setup = setup_of(4, 600);
  const int rounds = setup.plan.screening_rounds;
  TimedCases cases(setup);
  const auto take_on = [&](int round) {
    TimedCase* state = cases.take_on(round, 600);
    state->timed = 1;
    return state;
  };
  const std::vector<TimedCase*> first{take_on(0), take_on(0)};
  TimedCase* later = take_on(5);
  for (int round = 0; round < rounds; ++round) {
    EXPECT_TRUE(cases.screen().empty()) << round;
    measure(*first[0], round, 1);
    measure(*first[1], round, 1, round < 3 ? 1.5 : 1);  // three slow processes
    if (round >= 5) measure(*later, round, 1);
  }
  EXPECT_EQ(cases.screen(), first);
  EXPECT_FALSE(first[0]->screening.suspect);
  EXPECT_TRUE(first[1]->screening.suspect);
  EXPECT_EQ(first[1]->screening.share, 2. / 4 / 1);
  EXPECT_FALSE(later->screening.over);
  EXPECT_EQ(cases.judge(*first[0], false, "", 12).verdict, Verdict::pass);
  EXPECT_EQ(cases.judge(*later, false, "", 12).verdict, Verdict::undecided);
  // A suspect is due for more rounds than others.
  first[0]->over = later->over = true;
  for (int round = rounds; round < 60; ++round) EXPECT_EQ(cases.due(round, 1).size(), 1u);
}

TEST(Screening, DoesNotWaitForACaseThatCannotBeMeasuredAnyMore) {
  const GateSetup setup = setup_of(4, 600);
  TimedCases cases(setup);
  TimedCase *one = cases.take_on(0, 600), *stuck = nullptr;
  measure(*one, 0, 1);
  stuck = cases.take_on(0, 600);
  measure(*stuck, 0, 1);
  for (int round = 1; round < setup.plan.screening_rounds; ++round) measure(*one, round, 1);
  EXPECT_EQ(cases.screen().size(), 2u);
}

TEST(Screening, IsTheSameWhenAGateGoesOn) {
  GateSetup setup = setup_of(5, 600);
  TimedCases whole(setup);
  std::vector<TimedCase*> taken;
  for (int i = 0; i < 4; ++i) {
    taken.push_back(whole.take_on(3, 600));
    taken.back()->timed = 1;
  }
  const auto pair = [&](std::size_t index, int round, double ratio) {
    setup.pairs.push_back(pair_of(*taken[index], round, ratio));
    keep(*taken[index], setup.pairs.back());
  };
  for (int round = 3; round < 20; ++round) {
    pair(0, round, round < 6 ? 1.5 : 1);
    pair(1, round, 1);
  }
  pair(2, 3, 1);
  taken[2]->aside = taken[2]->over = true;  // too dear
  taken[3]->over = true;                    // crashed before its first pair
  setup.settled = {verdict_on(*taken[2]->gate_case, Verdict::not_measured, "why"),
                   verdict_on(*taken[3]->gate_case, Verdict::crashed, "why")};
  TimedCases resumed(setup);
  EXPECT_EQ(resumed.latest_round(), 19);
  EXPECT_EQ(whole.screen().size(), 2u);
  EXPECT_EQ(resumed.screen().size(), 2u);
  for (std::size_t i = 0; i < whole.all().size(); ++i) {
    const analysis::Screening &before = whole.all()[i].screening,
                              &after = resumed.all()[i].screening;
    EXPECT_EQ(before.suspect, after.suspect) << i;
    EXPECT_EQ(before.share, after.share) << i;
    EXPECT_EQ(before.over, after.over) << i;
  }
  EXPECT_TRUE(taken[0]->screening.suspect);
}

TEST(Screening, ACaseThatIsNearlyAlwaysDisturbedIsGivenUpUnlessItIsTheCandidatesDoing) {
  const GateSetup setup = setup_of(1, 600);
  const auto disturbed = [&](const record::Drop& dropped) {
    TimedCases cases(setup);
    TimedCase& state = *cases.take_on(0, 600);
    for (int round = 0; round < 8; ++round) keep(state, pair_of(state, round, 1, dropped));
    return cases.is_disturbed(state);
  };
  EXPECT_TRUE(disturbed({"hot", "hot"}));
  EXPECT_TRUE(disturbed({"hot", ""}));
  EXPECT_FALSE(disturbed({"", "hot"}));
  EXPECT_FALSE(disturbed({}));
}

}  // namespace timed_cases_test
}  // namespace ridgeline::gate
