#include "harness/gate/timed_words.hpp"

#include <gtest/gtest.h>

namespace ridgeline::gate {
namespace timed_words_test {

/// A gate of so many cases, of `all` on all devices.
GateSetup setup_of(int cases, int all, bool single = true) {
  static const run::Worker worker;
  GateSetup setup;
  setup.plan = analysis::plan_for(DeviceKind::cpu);
  setup.budget_s = 600;
  setup.gate.alpha = .01;
  setup.gate.cases = all;
  for (int i = 0; i < cases; ++i) {
    GateCase each;
    for (const Side side : both_sides) {
      each[side].worker = &worker;
      each[side].info.id = {"scan", "a", "f32", {{"n", std::to_string(i)}}, {}};
      if (single) each[side].info.id.options = {{"launch", "single"}};
      each[side].name = record::name(each[side].info.id);
    }
    setup.cases.push_back(each);
  }
  return setup;
}

/// What is said when `taken` cases were taken on together, of which the first ones are suspects
/// that have had `later` rounds after the screening.
std::string said(const GateSetup& setup, int taken, int suspects, int later = 0, int samples = 20,
                 bool all_rounds = false) {
  const int screening = analysis::plan_for(DeviceKind::cpu).screening_rounds;
  TimedCases cases(setup);
  for (int i = 0; i < taken; ++i) {
    TimedCase& state = *cases.take_on(0, 600);
    state.timed = 1;
    const bool suspect = i < suspects;
    for (int round = 0; round < screening + (suspect ? later : 0); ++round) {
      MeasuredPair made;
      made.pair.case_name = state.gate_case->candidate.name;
      made.pair.round = round;
      made.pair.baseline_ns = 100;
      made.pair.candidate_ns = suspect && round < 3 ? 150 : 100;
      made.shape.samples = samples;
      keep(state, made);
    }
  }
  cases.screen();
  return tails_in_reach(setup, cases, all_rounds);
}

TEST(TailsInReach, GoByWhatEachSuspectMaySpend) {
  EXPECT_EQ(said(setup_of(100, 100), 100, 1, 6),
            "tails: of 100 cases, 1 was suspect; in 52 rounds after the screening, 8 slow "
            "processes of the candidate against none show a tail, or 10 with slow launches; 6 were "
            "measured; a process had 20 samples, which show one slow launch in 20 with a chance of "
            "64%");
  EXPECT_NE(said(setup_of(100, 100), 22, 1).find(" 11 slow processes"), std::string::npos)
      << "the others were left out";
  EXPECT_NE(said(setup_of(50, 100), 50, 1).find(" 9 slow processes"), std::string::npos)
      << "the others are on another device";
  EXPECT_NE(said(setup_of(100, 100), 100, 2).find(" 9 slow processes"), std::string::npos);
}

TEST(TailsInReach, GoByTheRuleOfEachCase) {
  GateSetup setup = setup_of(10, 10);
  setup.cases[1].rule.alpha = .001;
  EXPECT_NE(said(setup, 10, 2).find(" 9 to 13 slow processes"), std::string::npos)
      << said(setup, 10, 2);
}

TEST(TailsInReach, WithoutASuspectSaysNothingOfRoundsThatTheBudgetDidNotHave) {
  EXPECT_EQ(said(setup_of(4, 4), 4, 0, 0, 5),
            "tails: of 4 cases, none was suspect; a process had 5 samples, which show one slow "
            "launch in 20 with a chance of 23%");
  EXPECT_NE(said(setup_of(4, 4), 4, 0, 0, 5, true).find(" 8 slow processes"), std::string::npos);
}

TEST(TailsInReach, SaysWhatSamplesOfManyLaunchesHide) {
  constexpr const char* hidden = "samples of many launches, which hide one";
  EXPECT_EQ(said(setup_of(4, 4), 4, 0).find(hidden), std::string::npos);
  EXPECT_NE(said(setup_of(4, 4, false), 4, 0).find(hidden), std::string::npos);
}

TEST(TailsInReach, IsSaidWhereTailsWereLookedFor) {
  EXPECT_EQ(said(setup_of(4, 4), 0, 0), "");
  GateSetup setup = setup_of(4, 4);
  setup.plan = analysis::on_medians_alone(setup.plan);
  EXPECT_EQ(said(setup, 4, 0), "");
}

}  // namespace timed_words_test
}  // namespace ridgeline::gate
