#include "harness/analysis/stored_gate.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/analysis/unpaired_decision.hpp"
#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace stored_gate_test {

using record::CaseVerdict;
using record::Outcome;
using record::Verdict;
namespace examples = store::examples;

const record::Case info = examples::gemm_case("tiled", 64);
const std::string name = record::name(info.id);

StoredSide side(const std::string& id) {
  StoredSide made;
  made.run = examples::run(id);
  made.run.status = record::RunStatus::finished;
  made.device = examples::device();
  made.environment = examples::environment();
  made.builds = {examples::process().build};
  return made;
}

void add(StoredSide& to, int replicate, record::Measurement measurement,
         const record::Case& of = info) {
  const auto id = static_cast<std::int64_t>(to.measurements.size()) + 1;
  to.measurements.push_back({id, replicate + 1, of, replicate, std::move(measurement)});
}

record::Measurement timed(double median_ns, Outcome outcome = Outcome::ok,
                          const std::string& reason = "") {
  record::Measurement made = examples::measurement(info, {median_ns});
  made.outcome = outcome;
  made.reason = reason;
  return made;
}

/// `processes` of this case, all within 0.1% of `median_ns`.
StoredSide of_processes(int processes, double median_ns, const record::Case& of = info) {
  StoredSide made = side("20261120T124501Z-5f3a9c");
  for (int i = 0; i < processes; ++i)
    add(made, i, timed(median_ns * (1 + 1e-4 * ((i * 7) % 11))), of);
  return made;
}

CaseVerdict verdict(const StoredSide& baseline, const StoredSide& candidate,
                    const CaseRule& rule = {}, bool accept_changes = false) {
  const StoredVerdicts all =
      gate_stored(baseline, candidate, {name}, {rule}, plan_for(DeviceKind::cpu), accept_changes);
  EXPECT_EQ(all.verdicts.size(), 1u);
  return all.verdicts.at(0);
}

TEST(StoredGate, FindsASlowDownAndASpeedUp) {
  const StoredSide old_side = of_processes(10, 1e5);
  const CaseVerdict slower = verdict(old_side, of_processes(10, 1.1e5));
  EXPECT_EQ(slower.verdict, Verdict::regression);
  EXPECT_EQ(slower.pairs, 10);
  EXPECT_NEAR(slower.ratio.value(), 1.1, 1e-3);
  EXPECT_LE(slower.ratio_low.value(), *slower.ratio);
  EXPECT_GE(slower.ratio_high.value(), *slower.ratio);
  EXPECT_LE(slower.p_value.value(), slower.level.value());
  EXPECT_NEAR(slower.delta, 0.03, 1e-12);
  EXPECT_TRUE(slower.reason.empty()) << slower.reason;
  EXPECT_EQ(verdict(old_side, of_processes(10, 0.9e5)).verdict, Verdict::improvement);
  EXPECT_EQ(verdict(old_side, of_processes(10, 1.001e5)).verdict, Verdict::pass);
}

TEST(StoredGate, SaysWhenThereAreTooFewProcesses) {
  const CaseVerdict found = verdict(of_processes(3, 1e5), of_processes(3, 2e5));
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_NE(found.reason.find("3 and 3 processes can never show a regression"), std::string::npos)
      << found.reason;
  EXPECT_NE(found.reason.find(std::to_string(least_processes({}, 1)) + " a side"),
            std::string::npos)
      << found.reason;
}

/// The bound that decides whether to say so is the one that the test itself obeys.
TEST(StoredGate, SaysTooFewExactlyWhereNothingCanBeFound) {
  for (int processes = 2; processes < 12; ++processes) {
    const CaseVerdict found = verdict(of_processes(processes, 1e5), of_processes(processes, 2e5));
    const bool few = found.reason.find("can never show") != std::string::npos;
    EXPECT_EQ(found.verdict, few ? Verdict::undecided : Verdict::regression)
        << processes << found.reason;
    EXPECT_EQ(few, processes < least_processes({}, 1)) << processes;
  }
}

TEST(StoredGate, SaysWhatBecameOfARunThatLacksACase) {
  StoredSide killed = side("20261120T124501Z-5f3a9c");
  killed.run.status = record::RunStatus::running;
  killed.status = "killed";
  EXPECT_EQ(verdict(of_processes(10, 1e5), killed).reason,
            "the candidate's run does not have it, and is killed");
}

struct Joined {
  const char* what;
  // Of every process; nothing: the run does not have the case.
  std::optional<Outcome> baseline, candidate;
  Verdict expected;
  const char* reason;
};

TEST(StoredGate, JoinsWhatEitherSideHas) {
  const std::vector<Joined> table{
      {"candidate alone", std::nullopt, Outcome::ok, Verdict::new_case,
       "the baseline's run does not have it"},
      {"baseline alone", Outcome::ok, std::nullopt, Verdict::missing,
       "the candidate's run does not have it"},
      {"wrong candidate", Outcome::ok, Outcome::wrong_result, Verdict::wrong_result,
       "candidate: wrong_result: why"},
      {"wrong baseline", Outcome::wrong_result, Outcome::ok, Verdict::wrong_result,
       "baseline: wrong_result: why"},
      {"wrong wins over crashed", Outcome::wrong_result, Outcome::crashed, Verdict::wrong_result,
       "baseline: wrong_result: why"},
      {"crashed wins over timeout", Outcome::timeout, Outcome::crashed, Verdict::crashed,
       "candidate: crashed: why"},
      {"timeout", Outcome::ok, Outcome::timeout, Verdict::timeout, "candidate: timeout: why"},
      {"new and wrong", std::nullopt, Outcome::wrong_result, Verdict::wrong_result,
       "candidate: wrong_result: why"},
      {"neither can", Outcome::unsupported, Outcome::unavailable, Verdict::skipped,
       "unavailable: why"},
      {"neither has it measured", Outcome::unsupported, std::nullopt, Verdict::skipped,
       "unsupported: why"},
      {"can no longer", Outcome::ok, Outcome::unsupported, Verdict::missing,
       "candidate: unsupported: why"},
      {"failed, and can no longer", Outcome::crashed, Outcome::unavailable, Verdict::missing,
       "candidate: unavailable: why"},
      {"can now", Outcome::unavailable, Outcome::ok, Verdict::new_case,
       "baseline: unavailable: why"},
      {"unsteady baseline", Outcome::unstable, Outcome::ok, Verdict::no_baseline,
       "no process of the baseline was steady: why"},
      {"disturbed baseline", Outcome::invalid_environment, Outcome::ok, Verdict::no_baseline,
       "no process of the baseline was undisturbed: why"},
      {"disturbed candidate", Outcome::ok, Outcome::invalid_environment, Verdict::undecided,
       "no process of the candidate was undisturbed: why"},
  };
  for (const Joined& row : table) {
    const auto made = [](std::optional<Outcome> outcome) {
      StoredSide all = side("20261120T124501Z-5f3a9c");
      for (int i = 0; outcome && i < 10; ++i)
        add(all, i,
            record::has_samples(*outcome)
                ? timed(1e5, *outcome, *outcome == Outcome::ok ? "" : "why")
                : examples::failed(info, *outcome, "why"));
      return all;
    };
    const CaseVerdict found = verdict(made(row.baseline), made(row.candidate));
    EXPECT_EQ(found.verdict, row.expected) << row.what << ": " << record::to_string(found.verdict);
    EXPECT_EQ(found.reason, row.reason) << row.what;
    EXPECT_FALSE(found.ratio) << row.what;
    EXPECT_EQ(found.case_name, name);
    EXPECT_EQ(found.baseline_case, row.baseline ? name : "") << row.what;
  }
}

TEST(StoredGate, LetsOneFailureWinOverAnySpeed) {
  StoredSide candidate = of_processes(10, 0.5e5);
  candidate.measurements[7].measurement =
      examples::failed(info, Outcome::wrong_result, "element 3 is nan");
  const CaseVerdict found = verdict(of_processes(10, 1e5), candidate);
  EXPECT_EQ(found.verdict, Verdict::wrong_result);
  EXPECT_EQ(found.reason, "candidate: wrong_result: element 3 is nan");
}

TEST(StoredGate, AProcessCountsWithItsLastAttempt) {
  StoredSide again = of_processes(10, 1e5);
  record::Measurement failed = examples::failed(info, Outcome::crashed, "killed");
  add(again, 4, failed);
  again.measurements.back().measurement.attempt = 2;
  EXPECT_EQ(verdict(of_processes(10, 1e5), again).verdict, Verdict::crashed);

  StoredSide faster = of_processes(10, 1.1e5);
  for (int i = 0; i < 10; ++i) {
    add(faster, i, timed(0.9e5));
    faster.measurements.back().measurement.attempt = 2;
  }
  EXPECT_EQ(verdict(of_processes(10, 1e5), faster).verdict, Verdict::improvement);
}

TEST(StoredGate, CountsUnsteadyProcessesAndDropsDisturbedOnes) {
  StoredSide baseline = of_processes(10, 1e5), candidate = of_processes(12, 1.1e5);
  baseline.measurements[2].measurement.outcome = Outcome::unstable;
  candidate.measurements[0].measurement = timed(9e5, Outcome::invalid_environment, "throttled");
  candidate.measurements[1].measurement = timed(9e5, Outcome::invalid_environment, "throttled");
  const CaseVerdict found = verdict(baseline, candidate);
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.pairs, 10);
  EXPECT_EQ(found.dropped, 2);
  EXPECT_NEAR(found.ratio.value(), 1.1, 1e-3) << "disturbed times do not count";
  EXPECT_EQ(found.reason,
            "baseline unsteady in 1 of its processes; candidate disturbed in 2 of its processes");
}

TEST(StoredGate, SaysWhichSidesProcessesDiffer) {
  StoredSide baseline = of_processes(10, 1e5);
  baseline.measurements[3].measurement.median_ns = 9e5;
  baseline.run.unstable.reset();
  EXPECT_EQ(verdict(baseline, of_processes(10, 1e5)).reason.find("process medians"),
            std::string::npos);
  baseline.run.unstable = 0.1;
  const CaseVerdict found = verdict(baseline, of_processes(10, 1e5));
  EXPECT_NE(found.reason.find("baseline: process medians from "), std::string::npos)
      << found.reason;
  EXPECT_NE(found.verdict, Verdict::no_baseline) << "the processes are ok each, and are compared";
}

/// The verdicts on three cases of which the last is `slower`, with so many processes of the two
/// sides.
std::vector<CaseVerdict> with_one_slower(int before, int after, double slower,
                                         const CaseRule& rule = {}) {
  StoredSide baseline = side("a"), candidate = side("b");
  for (const char* variant : {"a", "b", "c"}) {
    const record::Case one = examples::gemm_case(variant, 64);
    for (int i = 0; i < before; ++i) add(baseline, i, timed(1e5 * (1 + 1e-4 * (i * 7 % 11))), one);
    for (int i = 0; i < after; ++i)
      add(candidate, i, timed(1e5 * (1 + 1e-4 * (i * 5 % 11)) * (variant[0] == 'c' ? slower : 1)),
          one);
  }
  return gate_stored(baseline, candidate, case_names(baseline, candidate),
                     std::vector<CaseRule>(3, rule), plan_for(DeviceKind::cpu), false)
      .verdicts;
}

TEST(StoredGate, DoubtsWhatSeemsSlowerInTooFewProcesses) {
  const std::vector<CaseVerdict> found = with_one_slower(5, 5, 10);
  EXPECT_EQ(found.at(0).verdict, Verdict::pass);
  EXPECT_EQ(found.at(2).verdict, Verdict::undecided);
  EXPECT_EQ(found.at(2).doubt, record::Doubt::exact);
  EXPECT_EQ(with_one_slower(3, 3, 10).at(0).verdict, Verdict::pass);
  EXPECT_EQ(with_one_slower(3, 3, 10).at(2).doubt, record::Doubt::cluster);
  EXPECT_EQ(with_one_slower(2, 7, 10).at(0).verdict, Verdict::pass);
  EXPECT_EQ(with_one_slower(2, 7, 10).at(2).doubt, record::Doubt::cluster);
  EXPECT_EQ(with_one_slower(5, 5, 1.03).at(2).verdict, Verdict::undecided);
  EXPECT_FALSE(with_one_slower(5, 5, 1.03).at(2).doubt);
  EXPECT_FALSE(with_one_slower(3, 3, 1.4).at(2).doubt) << "too few for so little";
}

TEST(StoredGate, DoubtsAnExpectedRegressionThatIsLargerThanAgreed) {
  CaseRule expects;
  expects.expected = true;
  expects.expectation = "more digits, until 2026-12-31";
  EXPECT_FALSE(with_one_slower(5, 5, 10, expects).at(2).doubt);
  expects.at_most = 0.1;
  EXPECT_EQ(with_one_slower(5, 5, 10, expects).at(2).doubt, record::Doubt::exact);
  EXPECT_FALSE(with_one_slower(5, 5, 1.08, expects).at(2).doubt);
}

TEST(StoredGate, AnUnsteadyBaselineHidesNoSlowDown) {
  StoredSide baseline = of_processes(10, 1e5);
  for (store::StoredMeasurement& each : baseline.measurements)
    each.measurement.outcome = Outcome::unstable;
  EXPECT_EQ(verdict(baseline, of_processes(10, 1e5)).verdict, Verdict::no_baseline);
  const CaseVerdict found = verdict(baseline, of_processes(10, 1e6));
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_EQ(found.doubt, record::Doubt::exact);
  EXPECT_EQ(found.reason, "no process of the baseline was steady");
}

TEST(StoredGate, ACandidateThatIsDisturbedMoreOftenDoesNotPass) {
  const auto disturbed = [](int count) {
    StoredSide made = of_processes(10, 1e5);
    for (int i = 0; i < count; ++i)
      made.measurements[static_cast<std::size_t>(i)].measurement =
          timed(1e5, Outcome::invalid_environment, "throttled");
    return made;
  };
  EXPECT_EQ(verdict(disturbed(0), disturbed(3)).verdict, Verdict::pass) << "p .11";
  EXPECT_EQ(verdict(disturbed(0), disturbed(4)).verdict, Verdict::undecided) << "p .043";
  EXPECT_EQ(verdict(disturbed(0), disturbed(4)).doubt, record::Doubt::exact);
  EXPECT_EQ(verdict(disturbed(4), disturbed(0)).verdict, Verdict::pass);
  EXPECT_EQ(verdict(disturbed(4), disturbed(4)).verdict, Verdict::pass);
}

TEST(StoredGate, RefusesTimesThatAreNone) {
  for (const double bad : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    StoredSide candidate = of_processes(10, 1e5);
    candidate.run.unstable = 0.1;
    candidate.measurements[3].measurement.median_ns = bad;
    const CaseVerdict found = verdict(of_processes(10, 1e5), candidate);
    EXPECT_EQ(found.verdict, Verdict::invalid_environment) << bad;
    EXPECT_EQ(found.reason, "candidate: the median of a process is not a positive number");
    EXPECT_FALSE(found.ratio);
  }
}

TEST(StoredGate, DoesNotCompareDifferentQuantities) {
  StoredSide candidate = of_processes(10, 1e5);
  for (store::StoredMeasurement& stored : candidate.measurements)
    stored.measurement.launch = "single";
  const CaseVerdict found = verdict(of_processes(10, 1e5), candidate);
  EXPECT_EQ(found.verdict, Verdict::invalid_environment);
  EXPECT_EQ(found.reason, "measured differently: loop cold -> single cold");
}

TEST(StoredGate, JudgesAcrossEnvironmentsOnlyWhenItIsAccepted) {
  StoredSide candidate = of_processes(10, 1.1e5);
  candidate.environment.comparable = {{"memory", "2 GiB"}, {"mig", "on"}};
  const CaseVerdict refused = verdict(of_processes(10, 1e5), candidate);
  EXPECT_EQ(refused.verdict, Verdict::invalid_environment);
  EXPECT_EQ(refused.reason, "memory 1 GiB -> 2 GiB; mig nothing -> on");
  EXPECT_FALSE(refused.ratio);
  EXPECT_EQ(verdict(of_processes(10, 1e5), candidate, {}, true).verdict, Verdict::regression);
  add(candidate, 10, examples::failed(info, Outcome::crashed, "killed"));
  EXPECT_EQ(verdict(of_processes(10, 1e5), candidate).verdict, Verdict::crashed)
      << "failures need no comparison";
}

TEST(StoredGate, FollowsTheRules) {
  const StoredSide baseline = of_processes(10, 1e5), slower = of_processes(10, 1.1e5);
  CaseRule skip;
  skip.skip = "known to be noisy";
  EXPECT_EQ(verdict(baseline, slower, skip).verdict, Verdict::skipped);
  EXPECT_EQ(verdict(baseline, slower, skip).reason, "known to be noisy");
  CaseRule wide;
  wide.delta = 0.2;
  EXPECT_EQ(verdict(baseline, slower, wide).verdict, Verdict::pass);
  CaseRule expects;
  expects.expected = true;
  expects.expectation = "more digits, until 2026-12-31";
  EXPECT_TRUE(verdict(baseline, slower, expects).expected);
  EXPECT_EQ(verdict(baseline, slower, expects).expectation, expects.expectation);
  EXPECT_FALSE(verdict(baseline, baseline, expects).expected) << "not met";
  EXPECT_EQ(verdict(baseline, baseline, expects).expectation, expects.expectation);
  expects.expectation_over = true;
  EXPECT_FALSE(verdict(baseline, slower, expects).expected) << "over";
}

TEST(StoredGate, DividesAlphaByTheCasesThatBothMeasured) {
  StoredSide baseline = side("a"), candidate = side("b");
  for (const char* variant : {"a", "b", "c"})
    for (int i = 0; i < 10; ++i) {
      const record::Case one = examples::gemm_case(variant, 64);
      add(baseline, i, timed(1e5 + i), one);
      add(candidate, i,
          variant[0] == 'c' ? examples::failed(one, Outcome::crashed, "x") : timed(1e5 + i), one);
    }
  const std::vector<std::string> names = case_names(baseline, candidate);
  ASSERT_EQ(names.size(), 3u);
  const StoredVerdicts found = gate_stored(baseline, candidate, names, std::vector<CaseRule>(3),
                                           plan_for(DeviceKind::cpu), false);
  EXPECT_EQ(found.cases, 2);
  EXPECT_NEAR(found.verdicts.at(0).level.value(), 0.05, 1e-12) << "of the test that let it pass";
  EXPECT_EQ(found.verdicts.at(2).verdict, Verdict::crashed);
}

TEST(StoredGate, NamesWhatChanged) {
  StoredSide baseline = side("a"), candidate = side("b");
  EXPECT_TRUE(changes(baseline, candidate).comparable.empty());
  EXPECT_TRUE(changes(baseline, candidate).recorded.empty());
  candidate.environment.comparable["memory"] = "2 GiB";
  candidate.environment.recorded = {{"driver", "580.2"}};
  candidate.builds[0].compiler = "g++ 13";
  candidate.run.profile_text = "other";
  const EnvironmentChanges found = changes(baseline, candidate);
  EXPECT_EQ(found.comparable, std::vector<std::string>{"memory 1 GiB -> 2 GiB"});
  EXPECT_EQ(found.recorded,
            (std::vector<std::string>{"driver nothing -> 580.2", "host nowhere -> nothing",
                                      "compiler of ridgeline-suites g++ 12.2 -> g++ 13",
                                      "the text of profile quick"}));
}

TEST(StoredGate, NamesALoadThatChangedAndNotItsLastDigits) {
  StoredSide baseline = side("a"), candidate = side("b");
  baseline.environment.recorded["load_average"] = "0.21 0.30 0.25 1/94 16696";
  candidate.environment.recorded["load_average"] = "0.48 0.31 0.25 1/93 16721";
  EXPECT_TRUE(changes(baseline, candidate).recorded.empty());
  candidate.environment.recorded["load_average"] = "8.48 0.31 0.25 1/93 16721";
  EXPECT_EQ(changes(baseline, candidate).recorded, std::vector<std::string>{"load_average 0 -> 8"});
}

TEST(StoredGate, KnowsTheSameCode) {
  StoredSide baseline = side("a"), candidate = side("b");
  EXPECT_TRUE(same_code(baseline, candidate));
  candidate.builds.push_back({"other", "", false, "", "", "", "beef"});
  EXPECT_FALSE(same_code(baseline, candidate));
  candidate.builds.pop_back();
  candidate.builds[0].code_hash = baseline.builds[0].code_hash = "";
  EXPECT_FALSE(same_code(baseline, candidate)) << "what is not known is not the same";
  candidate.builds[0].code_hash = baseline.builds[0].code_hash = "unknown";  // as a worker says it
  EXPECT_FALSE(same_code(baseline, candidate)) << "what is not known is not the same";
  candidate.builds.clear();
  baseline.builds.clear();
  EXPECT_FALSE(same_code(baseline, candidate));
}

}  // namespace stored_gate_test
}  // namespace ridgeline::analysis
