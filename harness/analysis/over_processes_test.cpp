#include <gtest/gtest.h>

#include "harness/analysis/summary.hpp"

namespace ridgeline::analysis {
namespace {

using record::Outcome;
using Places = std::vector<std::size_t>;

constexpr ProcessResult ok{Outcome::ok, 100}, unsteady{Outcome::unstable, 110},
    throttled{Outcome::invalid_environment, 200}, crashed{Outcome::crashed, {}},
    absent{Outcome::unsupported, {}};

OverProcesses over(std::vector<ProcessResult> processes) { return over_processes(processes); }

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

}  // namespace
}  // namespace ridgeline::analysis
