#include "harness/analysis/reproduction.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace reproduction_test {

using record::Outcome;

/// Process medians, in ns, of one case of a run.
std::vector<store::StoredMeasurement> run(const std::string& variant,
                                          const std::vector<double>& medians_ns,
                                          Outcome outcome = Outcome::ok) {
  std::vector<store::StoredMeasurement> all;
  for (std::size_t i = 0; i < medians_ns.size(); ++i) {
    store::StoredMeasurement stored;
    stored.id = static_cast<std::int64_t>(i);
    stored.replicate = static_cast<int>(i);
    stored.case_info.id = {"synthetic", variant, "f32", {{"n", "1"}}, {}};
    stored.measurement.case_name = record::name(stored.case_info.id);
    stored.measurement.outcome = outcome;
    if (record::has_samples(outcome))
      stored.measurement.median_ns = medians_ns[i];
    else
      stored.measurement.reason = "the script says so";
    all.push_back(stored);
  }
  return all;
}

Reproduction of(const std::vector<double>& then, const std::vector<double>& now,
                Outcome before = Outcome::ok, Outcome after = Outcome::ok) {
  return reproductions(run("a", then, before), run("a", now, after), DeviceKind::cpu).at(0);
}

const std::vector<double> steady{100, 101, 99.5, 100.3, 99.8, 100.6};

std::vector<double> times(double factor, std::vector<double> values = steady) {
  for (double& value : values) value *= factor;
  return values;
}

TEST(Reproduction, TheSameTimesAreReproduced) {
  const Reproduction same = of(steady, times(1.002));
  EXPECT_EQ(same.reproduced, Reproduced::yes) << same.reason;
  EXPECT_NEAR(*same.ratio, 1.002, 1e-9);
  EXPECT_LT(*same.ratio_low, 1.002);
  EXPECT_GT(*same.ratio_high, 1.002);
  EXPECT_EQ(same.then_processes, 6);
  EXPECT_EQ(same.delta, 0.03);
  // Three processes per side are the fewest that can show it.
  EXPECT_EQ(of({100, 101, 99}, {100.5, 99.5, 100}).reproduced, Reproduced::yes);
}

TEST(Reproduction, AChangeInEitherDirectionIsNot) {
  EXPECT_EQ(of(steady, times(1.2)).reproduced, Reproduced::no);
  EXPECT_EQ(of(steady, times(1 / 1.2)).reproduced, Reproduced::no);
}

TEST(Reproduction, SwappingTheRunsChangesNothingButTheRatio) {
  for (const double factor : {0.8, 0.96, 0.98, 1.0, 1.01, 1.03, 1.05, 1.3}) {
    const Reproduction forth = of(steady, times(factor)), back = of(times(factor), steady);
    EXPECT_EQ(forth.reproduced, back.reproduced) << factor;
    EXPECT_NEAR(*forth.ratio * *back.ratio, 1, 1e-9);
  }
}

TEST(Reproduction, TooFewProcessesAreSaidToBe) {
  const Reproduction two = of({100, 100}, {100, 100});
  EXPECT_EQ(two.reproduced, Reproduced::undecided);
  EXPECT_NE(two.reason.find("too few processes to say: 2 then, 2 now"), std::string::npos)
      << two.reason;
  const Reproduction three = of({100, 101, 99}, {200, 201, 199});
  EXPECT_EQ(three.reproduced, Reproduced::undecided);
  EXPECT_NEAR(*three.ratio, 2, 0.03);
  EXPECT_NE(three.reason.find("too few processes to show a change"), std::string::npos)
      << three.reason;
  // What can be said beforehand: the more cases there are, the more it takes.
  EXPECT_EQ(too_few_processes(3, 3, 100),
            "too few processes to show a change: 3 then, 3 now; 8 and 8 can");
  EXPECT_EQ(too_few_processes(8, 8, 100), "");
}

TEST(Reproduction, NoiseThatHidesTheAnswerLeavesItOpen) {
  const Reproduction noisy = of({80, 90, 100, 110, 120, 130}, {85, 95, 105, 115, 125, 135});
  EXPECT_EQ(noisy.reproduced, Reproduced::undecided);
  EXPECT_EQ(noisy.reason, "");
}

TEST(Reproduction, OutcomesWithoutTimesAreComparedAsTheyAre) {
  EXPECT_EQ(of({1}, {1}, Outcome::unsupported, Outcome::unsupported).reproduced, Reproduced::yes);
  const Reproduction broken = of({100, 100, 100}, {1, 1, 1}, Outcome::ok, Outcome::crashed);
  EXPECT_EQ(broken.reproduced, Reproduced::no);
  EXPECT_EQ(broken.reason, "ok then, crashed now: the script says so");
  EXPECT_FALSE(broken.ratio);
  EXPECT_EQ(of({1}, {100, 100, 100}, Outcome::timeout, Outcome::ok).reproduced, Reproduced::no);
  const Reproduction disturbed = of(steady, steady, Outcome::ok, Outcome::invalid_environment);
  EXPECT_EQ(disturbed.reproduced, Reproduced::undecided);
  EXPECT_NE(disturbed.reason.find("the repeat has no undisturbed process"), std::string::npos)
      << disturbed.reason;
}

TEST(Reproduction, WhatWasNotMeasuredIsNotReproduced) {
  const std::vector<double> none{1};
  for (const Outcome then : {Outcome::ok, Outcome::not_measured, Outcome::crashed}) {
    const Reproduction again = of(steady, none, then, Outcome::not_measured);
    EXPECT_EQ(again.reproduced, Reproduced::undecided);
    EXPECT_EQ(again.reason, "not measured again");
  }
  EXPECT_EQ(of(none, steady, Outcome::not_measured, Outcome::ok).reason, "not measured then");
}

TEST(Reproduction, EveryCaseOfTheRepeatedRunIsThere) {
  std::vector<store::StoredMeasurement> then = run("b", steady);
  std::ranges::copy(run("a", steady), std::back_inserter(then));
  const auto all = reproductions(then, run("b", steady), DeviceKind::cpu);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].reason, "not measured again");
  EXPECT_EQ(all[0].reproduced, Reproduced::undecided);
  EXPECT_EQ(all[1].reproduced, Reproduced::yes);
}

}  // namespace reproduction_test
}  // namespace ridgeline::analysis
