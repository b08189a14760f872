#include <gtest/gtest.h>

#include "harness/analysis/summary.hpp"

namespace ridgeline::analysis {
namespace over_processes_test {

using record::Outcome;
using Places = std::vector<std::size_t>;

constexpr ProcessResult ok{Outcome::ok, 100}, unsteady{Outcome::unstable, 110},
    throttled{Outcome::invalid_environment, 200}, crashed{Outcome::crashed, {}},
    absent{Outcome::unsupported, {}};

OverProcesses over(std::vector<ProcessResult> processes, std::optional<double> limit = {}) {
  return over_processes(processes, limit);
}

TEST(OverProcesses, TheWorstOutcomeIsTheCases) {
  EXPECT_EQ(over({ok, unsteady, ok}).worst, 1u);
  EXPECT_EQ(over({throttled, unsteady, crashed}).worst, 2u);
  EXPECT_EQ(over({crashed, {Outcome::wrong_result, {}}, crashed}).worst, 1u);
  EXPECT_EQ(over({unsteady, unsteady}).worst, 0u) << "of equals the first, whose reason is told";
}

TEST(OverProcesses, WhatNothingDisturbedCountsAndElseWhatThereIs) {
  EXPECT_EQ(over({ok, unsteady}).counting, (Places{0, 1}));
  EXPECT_EQ(over({throttled, ok, throttled}).counting, (Places{1}));
  EXPECT_FALSE(over({throttled, ok}).disturbed);
  EXPECT_EQ(over({throttled, throttled}).counting, (Places{0, 1}));
  EXPECT_TRUE(over({throttled, throttled}).disturbed);
}

TEST(OverProcesses, AFailureLeavesNoNumberAndAnAbsenceHasNone) {
  EXPECT_EQ(over({ok, ok, crashed}).counting, Places{});
  EXPECT_EQ(over({absent}).counting, Places{});
  EXPECT_FALSE(over({absent}).disturbed);
}

std::vector<ProcessResult> all_ok(const std::vector<double>& medians_ns) {
  std::vector<ProcessResult> processes;
  for (const double ns : medians_ns) processes.push_back({Outcome::ok, ns});
  return processes;
}

TEST(OverProcesses, ThatDifferByMoreThanTheLimitAreUnstableAlthoughEachIsOk) {
  const OverProcesses found = over(all_ok({1.5e6, 865e3, 3.47e6}), 0.1);
  EXPECT_EQ(found.outcome, Outcome::unstable);
  EXPECT_EQ(found.differ,
            "process medians from 865 us to 3.47 ms: their interval is ±303% of the median; the "
            "profile allows ±10.0%");
  EXPECT_EQ(found.counting, (Places{0, 1, 2})) << "they stand for the case all the same";
  // One process in ten that runs in another mode; and a scatter that ten processes average out,
  // where three of them say too little.
  EXPECT_EQ(over(all_ok({100, 100, 100, 100, 100, 100, 100, 100, 100, 300}), 0.1).outcome,
            Outcome::unstable);
  const std::vector<double> scattered{95, 100, 105, 95, 100, 105, 95, 100, 105, 100};
  EXPECT_EQ(over(all_ok({95, 100, 105}), 0.1).outcome, Outcome::unstable);
  EXPECT_EQ(over(all_ok(scattered), 0.1).outcome, Outcome::ok);
  EXPECT_EQ(over(all_ok(scattered), 0.02).outcome, Outcome::unstable);
}

TEST(OverProcesses, AreNotJudgedWithoutALimitOrByFewerThanThree) {
  for (const auto& same : {over(all_ok({100, 101, 102}), 0.1), over(all_ok({1, 100, 1e4})),
                           over(all_ok({100, 900}), 0.1), over(all_ok({100, 100, 100}), 1e-9)}) {
    EXPECT_EQ(same.outcome, Outcome::ok);
    EXPECT_EQ(same.differ, "");
  }
}

TEST(OverProcesses, AWorseOutcomeKeepsItsOwnReason) {
  const ProcessResult slow{Outcome::ok, 900};
  for (const ProcessResult& worse : {unsteady, throttled, crashed}) {
    const OverProcesses found = over({ok, slow, ok, worse}, 0.1);
    EXPECT_EQ(found.outcome, worse.outcome);
    EXPECT_EQ(found.worst, 3u);
    EXPECT_EQ(found.differ, "");
  }
  EXPECT_EQ(over({ok, slow, ok, absent}, 0.1).outcome, Outcome::unstable);
  EXPECT_EQ(over({throttled, {Outcome::invalid_environment, 900}, throttled}, 0.1).differ, "");
}

}  // namespace over_processes_test
}  // namespace ridgeline::analysis
