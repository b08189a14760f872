#include "harness/analysis/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace comparison_test {

namespace examples = store::examples;
using record::Outcome;

/// A side of model synthetic-`letter` that ran the examples' build, with roofs of 100 GB/s and 1
/// TFLOP/s.
ComparedSide side(const std::string& letter) {
  ComparedSide made;
  made.run = examples::run("run-" + letter);
  made.run.status = record::RunStatus::finished;
  made.device = examples::device();
  made.device.model = "synthetic-" + letter;
  made.environment = examples::environment();
  made.builds = {examples::process().build};
  made.roofs = {{"dram.copy", 1e11, "B/s", "measured"}, {"fma.f32", 1e12, "FLOP/s", "measured"}};
  return made;
}

/// One measurement a time, in replicates from 0.
store::Timing& add(ComparedSide& side, const record::Case& info,
                   const std::vector<double>& medians_ns) {
  side.timings.cases.push_back(info);
  for (std::size_t i = 0; i < medians_ns.size(); ++i) {
    store::Timing timing;
    timing.case_index = side.timings.cases.size() - 1;
    timing.replicate = static_cast<int>(i);
    timing.outcome = Outcome::ok;
    timing.median_ns = medians_ns[i];
    timing.flops = info.flops;
    timing.bytes = info.bytes;
    timing.launch = "graph";
    timing.cache = "cold";
    side.timings.timings.push_back(timing);
  }
  return side.timings.timings.back();
}

/// Moves 1 MB and computes nothing: 10 us at 100 GB/s.
record::Case copy_case(const std::string& variant = "copy") {
  record::Case info = examples::gemm_case(variant);
  info.flops = 0;
  info.bytes = 1e6;
  return info;
}

const ComparedCase& only(const Comparison& found) {
  EXPECT_EQ(found.cases.size(), 1u);
  return found.cases.at(0);
}

TEST(Compare, ARatioIsTheTimeOfBOverThatOfA) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {20'000, 20'200, 19'800});
  add(b, copy_case(), {10'000, 10'100, 9'900});
  const Comparison found = compare(a, b, {});
  const ComparedCase& one = only(found);
  EXPECT_DOUBLE_EQ(one.ratio.value(), 0.5);
  ASSERT_TRUE(one.interval);
  EXPECT_LT(one.interval->low, 0.5);
  EXPECT_GT(one.interval->low, 0.48);
  EXPECT_GT(one.interval->high, 0.5);
  EXPECT_LT(one.interval->high, 0.52);
  EXPECT_TRUE(found.one_sided.empty());
  EXPECT_TRUE(found.differences.empty());
}

TEST(Compare, ASideWhoseProcessesDifferIsUnstable) {
  ComparedSide a = side("a"), b = side("b");
  a.run.unstable = b.run.unstable = 0.1;
  add(a, copy_case(), {10'000, 20'000, 40'000});
  add(b, copy_case(), {10'000, 10'100, 9'900});
  const Comparison found = compare(a, b, {});
  EXPECT_EQ(only(found).a.outcome, Outcome::unstable);
  EXPECT_TRUE(only(found).a.reason.starts_with("process medians from 10.0 us to 40.0 us"))
      << only(found).a.reason;
  EXPECT_EQ(only(found).b.outcome, Outcome::ok);
  EXPECT_TRUE(only(found).ratio);
  EXPECT_EQ(found.suites.at(0).unstable, 1);
}

TEST(Compare, HasNoIntervalBelowThreeProcessesASide) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {20'000, 20'200, 19'800});
  add(b, copy_case(), {10'000, 10'100});
  const Comparison found = compare(a, b, {});
  EXPECT_TRUE(only(found).ratio);
  EXPECT_FALSE(only(found).interval);
  EXPECT_EQ(only(found).cause, Cause::unknown)
      << "half of its roof against nearly all: but two processes cannot tell";
  EXPECT_FALSE(found.suites.at(0).interval);
  EXPECT_EQ(found.suites.at(0).b_processes, 2);
}

TEST(Compare, WhatTheRooflinesPredictIsHardware) {
  ComparedSide a = side("a"), b = side("b");
  b.roofs[0].value = 2e11;
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {6'250, 6'255, 6'245});
  const Comparison found = compare(a, b, {});
  EXPECT_DOUBLE_EQ(only(found).roofs_ratio.value(), 0.5);
  EXPECT_DOUBLE_EQ(only(found).rest().value(), 1);
  EXPECT_DOUBLE_EQ(only(found).a.share_of_roof.value(), 0.8);
  EXPECT_DOUBLE_EQ(only(found).b.share_of_roof.value(), 0.8);
  EXPECT_TRUE(only(found).measured_roofs);
  EXPECT_EQ(only(found).a.roof, "dram.copy");
  EXPECT_EQ(only(found).cause, Cause::hardware);
}

TEST(Compare, ARatioThatMayBeOneHasNothingToExplain) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {12'500, 12'520, 12'480});
  add(b, copy_case(), {12'490, 12'510, 12'470});
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::none);
  EXPECT_EQ(only(compare(a, b, {})).because, "");
  b.timings.timings.clear();
  add(b, copy_case(), {12'300, 12'310, 12'290});  // 1.6% faster, which the interval knows
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::hardware);
  b.timings.timings.clear();
  add(b, copy_case(), {12'490, 12'510});
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::hardware) << "without an interval nobody knows";
}

TEST(Compare, RoofsExplainNoDifferenceOfOneModelThatTheyDoNotHave) {
  ComparedSide a = side("a"), b = side("a");
  add(a, copy_case(), {12'500, 12'502, 12'498});
  add(b, copy_case(), {12'475, 12'477, 12'473});  // 0.998, and no 1 in the interval
  EXPECT_LT(only(compare(a, b, {})).interval.value().high, 1);
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::unknown);
  EXPECT_EQ(only(compare(a, b, {})).because, "both are of one model, and its roofs differ less");
  b.roofs[0].value = 1.0021e11;
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::hardware) << "this GPU has a higher roof";
  b.roofs[0].value = 1e11;
  b.builds[0].code_hash = "other";
  EXPECT_TRUE(only(compare(a, b, {})).because.ends_with(": the other code may be why"));
  b.environment.comparable["ecc"] = "off";
  EXPECT_EQ(only(compare(a, b, {})).cause, Cause::environment);
}

/// Siblings of `cases` cases that differ by `factors[case]`, and in their processes by 0.1%.
std::pair<ComparedSide, ComparedSide> siblings(const std::vector<double>& factors) {
  ComparedSide a = side("a"), b = side("a");
  a.device.id = "cuda:0";
  b.device.id = "cuda:1";
  for (std::size_t i = 0; i < factors.size(); ++i) {
    record::Case info = copy_case("copy" + std::to_string(i));
    add(a, info, {12'500, 12'510, 12'490});
    add(b, info, {12'490 * factors[i], 12'500 * factors[i], 12'510 * factors[i]});
  }
  return {a, b};
}

TEST(CompareTogether, ACaseBeyondChanceIsNamedAndOneWithinIsNot) {
  const auto [a, b] = siblings({1, 1.002, 0.998, 1.3, 1, 1, 0.77});
  const Comparison found = compare(a, b, {}, Kinship::siblings);
  std::vector<std::string> said;
  for (const ComparedCase& one : found.cases)
    said.push_back(std::string(to_string(*one.cause)) + ":" + one.because);
  const std::string chance = "none:chance leaves as much in one of 7 cases";
  EXPECT_EQ(said, (std::vector<std::string>{"none:", chance, chance, "unknown:cuda:1 is slower",
                                            "none:", "none:", "unknown:cuda:0 is slower"}));
  ASSERT_EQ(found.siblings.size(), 1U);
  EXPECT_EQ(found.siblings[0].cases, 7);
}

TEST(CompareTogether, PatternsPickTheCasesThatCount) {
  const auto [a, b] = siblings({1, 1.3});
  const Comparison found = compare(a, b, {"gemm/copy0/*"}, Kinship::siblings);
  EXPECT_EQ(found.siblings.at(0).cases, 1);
  EXPECT_FALSE(found.siblings.at(0).devices.at(1).is_slower());
}

TEST(CompareTogether, SettingsAndDisturbancesComeFirst) {
  auto [a, b] = siblings({1.3});
  b.environment.comparable["power_limit_w"] = "500";
  Comparison found = compare(a, b, {}, Kinship::siblings);
  EXPECT_EQ(only(found).cause, Cause::environment);
  EXPECT_EQ(only(found).because, "cuda:1 is slower, and the comparable environment differs");
  for (store::Timing& timing : b.timings.timings) {
    timing.outcome = Outcome::invalid_environment;
    timing.reason = "hot";
  }
  found = compare(a, b, {}, Kinship::siblings);
  EXPECT_EQ(only(found).because, "B was disturbed: hot");
}

TEST(Compare, WhatIsFartherFromItsRoofIsSaid) {
  ComparedSide a = side("a"), b = side("b");
  b.roofs[0].value = 2e11;
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {12'500, 12'510, 12'490});
  Comparison found = compare(a, b, {});
  EXPECT_DOUBLE_EQ(only(found).rest().value(), 2);
  EXPECT_EQ(only(found).cause, Cause::distance);
  EXPECT_EQ(only(found).because, "B is farther from its roof");
  found = compare(b, a, {});
  EXPECT_EQ(only(found).because, "A is farther from its roof");
}

TEST(Compare, ARestWithinTheNoiseIsNoDistance) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {12'500, 20'000, 9'000});
  add(b, copy_case(), {14'500, 9'500, 22'000});
  const Comparison found = compare(a, b, {});
  EXPECT_GT(std::abs(found.cases.at(0).rest().value() - 1), 0.05);
  EXPECT_EQ(only(found).cause, Cause::unknown);
  EXPECT_EQ(only(found).because, "within the noise");
}

TEST(Compare, WhatIsFasterThanItsRoofAllowsExplainsNothing) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {5'000, 5'010, 4'990});
  add(b, copy_case(), {5'000, 5'010, 4'990});
  EXPECT_EQ(compare(a, b, {}).cases.at(0).cause, Cause::unknown);
  EXPECT_EQ(compare(a, b, {}).cases.at(0).because,
            "A is faster than its roof allows, a measuring error");
}

TEST(Compare, UnsteadyRoofsAreComparedAndNamed) {
  ComparedSide a = side("a"), b = side("b");
  const std::string wanted = "A's roofs were not all steady: dram.copy, fma.f32";
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {6'250, 6'255, 6'245});
  const auto named = [&] { return std::ranges::count(compare(a, b, {}).differences, wanted); };
  EXPECT_EQ(named(), 0);
  for (record::Roof& roof : a.roofs) roof.source = record::unsteady_source;
  EXPECT_EQ(named(), 1);
  EXPECT_TRUE(only(compare(a, b, {})).measured_roofs);
}

TEST(Compare, MeasuredRoofsAreNotSetAgainstADatasheets) {
  ComparedSide a = side("a"), b = side("b");
  a.roofs.push_back({"dram", 1.2e11, "B/s", "a datasheet"});
  b.roofs = {{"dram", 2.4e11, "B/s", "a datasheet"}};
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {6'250, 6'255, 6'245});
  Comparison found = compare(a, b, {});
  EXPECT_FALSE(only(found).measured_roofs);
  EXPECT_DOUBLE_EQ(only(found).roofs_ratio.value(), 0.5);
  EXPECT_NEAR(only(found).a.share_of_roof.value(), 1e6 / 1.2e11 * 1e9 / 12'500, 1e-12);
  a.roofs.pop_back();
  found = compare(a, b, {});
  EXPECT_FALSE(only(found).roofs_ratio);
  EXPECT_FALSE(only(found).cause);
  EXPECT_DOUBLE_EQ(only(found).a.share_of_roof.value(), 0.8) << "each side's own share stays";
  EXPECT_TRUE(std::ranges::any_of(found.differences, [](const auto& line) {
    return line.starts_with("B's run measured no roofs");
  }));
}

TEST(Compare, ADisturbedSideIsTheEnvironmentAndLeftOutOfTheMean) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {12'500, 12'510, 12'490});
  store::Timing& last = add(b, copy_case(), {12'500, 25'000, 25'100});
  last.outcome = Outcome::invalid_environment;
  last.reason = "hardware throttling";
  EXPECT_EQ(compare(a, b, {}).cases.at(0).b.medians_ns.size(), 2u)
      << "undisturbed processes count alone";
  for (store::Timing& timing : b.timings.timings) {
    timing.outcome = Outcome::invalid_environment;
    timing.reason = "hardware throttling";
  }
  const Comparison found = compare(a, b, {});
  EXPECT_EQ(only(found).cause, Cause::environment);
  EXPECT_EQ(only(found).because, "B was disturbed: hardware throttling");
  EXPECT_TRUE(found.suites.empty());
}

TEST(Compare, SettingsOfOneModelAreTheEnvironment) {
  ComparedSide a = side("a"), b = side("a");
  b.run.id = "run-b";
  b.environment.comparable["ecc"] = "off";
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {25'000, 25'010, 24'990});
  const Comparison found = compare(a, b, {});
  EXPECT_EQ(only(found).cause, Cause::environment);
  EXPECT_EQ(found.differences, std::vector<std::string>{"setting: ecc nothing -> off"});
}

TEST(Compare, AClockBelowThatOfTheRoofIsTheEnvironment) {
  ComparedSide a = side("a"), b = side("b");
  record::Case roof = examples::gemm_case("fma");
  roof.id.suite = "roofs";
  roof.roof = "fma.f32";
  record::Case info = examples::gemm_case();  // 524288 FLOP: 524 ns at 1 TFLOP/s
  info.bytes = 0;
  for (ComparedSide* each : {&a, &b}) {
    add(*each, roof, {1000, 1000, 1000}).sm_clock_mhz = 2000;
    add(*each, info,
        each == &a ? std::vector<double>{600, 601, 599} : std::vector<double>{900, 901, 899})
        .sm_clock_mhz = each == &a ? 2000 : 1333;
  }
  Comparison found = compare(a, b, {"gemm"});
  EXPECT_EQ(only(found).cause, Cause::environment);
  EXPECT_EQ(only(found).because, "clocks: A 100% and B 67% of those of its roof");
  b.timings.timings.back().sm_clock_mhz = 1900;  // explains too little
  found = compare(a, b, {"gemm"});
  EXPECT_EQ(only(found).cause, Cause::distance);
}

TEST(Compare, AFailureOnEitherSideIsNoRatio) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {12'500, 12'510, 12'490});
  store::Timing& last = add(b, copy_case(), {12'500, 12'510, 12'490});
  last.outcome = Outcome::wrong_result;
  last.reason = "off by 1";
  last.median_ns.reset();
  const Comparison found = compare(a, b, {});
  EXPECT_FALSE(only(found).ratio);
  EXPECT_EQ(only(found).not_compared, "B: wrong_result: off by 1");
  EXPECT_TRUE(found.suites.empty());
}

TEST(Compare, TheLastAttemptOfAReplicateCounts) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {100, 100, 100});
  add(b, copy_case(), {200, 200, 200});
  store::Timing again = b.timings.timings.at(1);
  again.attempt = 2;
  again.median_ns = 300;
  b.timings.timings.push_back(again);
  EXPECT_EQ(compare(a, b, {}).cases.at(0).b.medians_ns, (std::vector<double>{200, 300, 200}));
}

TEST(Compare, OtherSizesAreComparedByTheirWork) {
  ComparedSide a = side("a"), b = side("b");
  record::Case large = copy_case();
  large.bytes = 4e6;
  add(a, copy_case(), {10'000, 10'010, 9'990});
  add(b, large, {20'000, 20'010, 19'990});
  const Comparison found = compare(a, b, {});
  EXPECT_DOUBLE_EQ(only(found).work, 4);
  EXPECT_DOUBLE_EQ(only(found).ratio.value(), 0.5);
  EXPECT_NEAR(only(found).interval->low, 0.5, 0.01);
  EXPECT_NEAR(only(found).interval->high, 0.5, 0.01);
  EXPECT_DOUBLE_EQ(only(found).roofs_ratio.value(), 1);
  EXPECT_NEAR(found.suites.at(0).mean, 0.5, 1e-12);
  EXPECT_NEAR(found.suites.at(0).interval->high, 0.5, 0.01);
}

TEST(Compare, OtherWorkIsNotCompared) {
  ComparedSide a = side("a"), b = side("b");
  record::Case other = examples::gemm_case();
  other.bytes = *other.bytes * 2;
  add(a, examples::gemm_case(), {100, 101, 99});
  add(b, other, {100, 101, 99});
  EXPECT_FALSE(compare(a, b, {}).cases.at(0).ratio);
  EXPECT_EQ(compare(a, b, {}).cases.at(0).not_compared,
            "the sides did other work: operations and bytes differ");
}

TEST(Compare, AnotherCacheStateIsNotComparedAndAnotherLaunchOfOneKindNeither) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case(), {100, 101, 99});
  add(b, copy_case(), {100, 101, 99});
  for (store::Timing& timing : b.timings.timings) timing.launch = "loop";
  EXPECT_FALSE(compare(a, b, {}).cases.at(0).ratio);
  b.device.kind = DeviceKind::cpu;
  EXPECT_TRUE(compare(a, b, {}).cases.at(0).ratio) << "a CPU has no graphs";
  for (store::Timing& timing : b.timings.timings) timing.cache = "hot";
  EXPECT_EQ(compare(a, b, {}).cases.at(0).not_compared,
            "measured differently: graph cold -> loop hot");
}

TEST(Compare, CasesOfOneSideAreListedWithWhatTheOtherHasInTheirPlace) {
  ComparedSide a = side("a"), b = side("b");
  record::Case hot = copy_case();
  hot.id.options = {{"cache", "hot"}};
  add(a, copy_case("own"), {1, 1, 1});
  add(a, copy_case(), {1, 1, 1});
  add(b, hot, {1, 1, 1});
  const Comparison found = compare(a, b, {});
  EXPECT_TRUE(found.cases.empty());
  ASSERT_EQ(found.one_sided.size(), 3u);
  EXPECT_EQ(found.one_sided[0].name, record::name(copy_case().id));
  EXPECT_TRUE(found.one_sided[0].of_a);
  EXPECT_EQ(found.one_sided[0].why, "the other side has " + record::name(hot.id));
  EXPECT_EQ(found.one_sided[1].why, "");
  EXPECT_FALSE(found.one_sided[2].of_a);
  EXPECT_EQ(compare(a, b, {"gemm/own"}).one_sided.size(), 1u);
}

TEST(Compare, DifferencesBesideTheHardwareAreNamed) {
  ComparedSide a = side("a"), b = side("b");
  b.builds[0].commit = "def456";
  b.builds[0].compiler = "g++ 14";
  b.builds[0].code_hash = "0ther";
  b.run.profile = "nightly";
  b.run.seed = 5;
  b.run.status = record::RunStatus::running;
  b.status = "killed";
  EXPECT_TRUE(other_code(a, b));
  EXPECT_EQ(
      differences(a, b),
      (std::vector<std::string>{
          ("build: abc123 with local changes -> def456 with local changes; "
           "every ratio compares the code, too"),
          "build: compiler of ridgeline-suites g++ 12.2 -> g++ 14", "profile: quick -> nightly",
          "inputs: other random numbers, of the seeds 18446744073709551615 -> 5",
          "B's run is killed: it may lack cases"}));
  add(a, copy_case(), {12'500, 12'510, 12'490});
  add(b, copy_case(), {25'000, 25'010, 24'990});
  EXPECT_EQ(compare(a, b, {}).cases.at(0).because,
            "B is farther from its roof, or its other code is slower");
}

TEST(Compare, AFactMayBeCalledWhatElseDiffers) {
  ComparedSide a = side("a"), b = side("b");
  b.device.model = a.device.model;
  b.run.seed = a.run.seed;
  a.environment.recorded = {{"profile", "powersave"}};  // of the processor's clock
  b.environment.recorded = {{"profile", "performance"}};
  EXPECT_EQ(differences(a, b),
            std::vector<std::string>{"recorded: profile powersave -> performance"});
}

TEST(Compare, OtherBuildsAreSaidOnceAlsoOfCounts) {
  ComparedSide a = side("a"), b = side("b");
  b.run.seed = a.run.seed;
  a.device.kind = b.device.kind = DeviceKind::emulated;
  b.builds[0].compiler = "g++ 14";
  EXPECT_EQ(differences(a, b),
            std::vector<std::string>{"build: compiler of ridgeline-suites g++ 12.2 -> g++ 14"});
}

TEST(Compare, TheMemoryOfAnotherModelIsHardwareAndThatOfTheSameASetting) {
  ComparedSide a = side("a"), b = side("b");
  b.run.seed = a.run.seed;
  a.environment.comparable["memory_gib"] = "79";
  b.environment.comparable["memory_gib"] = "140";
  ASSERT_NE(a.device.model, b.device.model);
  EXPECT_EQ(differences(a, b), std::vector<std::string>{});
  b.device.model = a.device.model;
  EXPECT_EQ(differences(a, b), std::vector<std::string>{"setting: memory_gib 79 -> 140"});
}

TEST(CompareSuites, TheMeanIsGeometricAndItsIntervalIsOfProcesses) {
  ComparedSide a = side("a"), b = side("b");
  // All cases of a process share its speed: the mean is as uncertain as one case, however many
  // there are.
  const std::vector<double> noise{1.00, 1.10, 0.91};
  for (int i = 0; i < 20; ++i) {
    const record::Case info = copy_case("copy" + std::to_string(i));
    const double factor = i % 2 == 0 ? 4 : 1;
    add(a, info, {100, 100, 100});
    add(b, info, {100 * factor * noise[0], 100 * factor * noise[1], 100 * factor * noise[2]});
  }
  const Comparison found = compare(a, b, {});
  ASSERT_EQ(found.suites.size(), 1u);
  const ComparedSuite& suite = found.suites[0];
  EXPECT_EQ(suite.suite, "gemm");
  EXPECT_EQ(suite.cases, 20);
  EXPECT_NEAR(suite.mean, 2, 1e-9);
  EXPECT_NEAR(suite.lowest, 1, 1e-9);
  EXPECT_NEAR(suite.highest, 4, 1e-9);
  EXPECT_EQ(suite.a_processes, 3);
  ASSERT_TRUE(suite.interval);
  const stats::Interval one = *found.cases.at(0).interval;
  EXPECT_NEAR(suite.interval->high / suite.mean, one.high / *found.cases[0].ratio, 1e-9);
}

TEST(CompareSuites, CasesThatMeasureARoofHaveNoMean) {
  ComparedSide a = side("a"), b = side("b");
  record::Case roof = copy_case();
  roof.roof = "dram.copy";
  add(a, roof, {100, 100, 100});
  add(b, roof, {50, 50, 50});
  const Comparison found = compare(a, b, {});
  EXPECT_TRUE(only(found).ratio);
  EXPECT_FALSE(only(found).a.share_of_roof);
  EXPECT_TRUE(found.suites.empty());
}

TEST(CompareSuites, OnlyProcessesThatMeasuredAllCasesCountForTheInterval) {
  ComparedSide a = side("a"), b = side("b");
  add(a, copy_case("one"), {100, 101, 102, 103});
  add(a, copy_case("two"), {100, 101, 102});
  add(b, copy_case("one"), {100, 101, 102});
  add(b, copy_case("two"), {100, 101, 102});
  EXPECT_EQ(compare(a, b, {}).suites.at(0).a_processes, 3);
  EXPECT_TRUE(compare(a, b, {}).suites.at(0).interval);
}

}  // namespace comparison_test
}  // namespace ridgeline::analysis
