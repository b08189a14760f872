#include "harness/gate/case_verdict.hpp"

#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::gate {
namespace case_verdict_test {

using record::Outcome;
using record::Verdict;

run::CaseResult result(Outcome outcome, const std::string& reason = "the reason") {
  run::CaseResult made;
  made.measurement.outcome = outcome;
  made.measurement.reason = reason;
  return made;
}

GateCase gate_case() {
  GateCase made;
  made.baseline.name = made.candidate.name = "scan/a/f32/n=1";
  return made;
}

GateSetup setup() {
  GateSetup made;
  made.plan = analysis::plan_for(DeviceKind::cpu);
  made.gate.cases = 1;
  return made;
}

record::Pair pair(double candidate_ns, const record::Drop& dropped = {}) {
  record::Pair made;
  made.baseline_ns = 100;
  made.candidate_ns = candidate_ns;
  made.dropped = dropped;
  return made;
}

CasePairs measured(int kept, double candidate_ns, int by_baseline, int by_candidate,
                   int by_both = 0) {
  CasePairs pairs;
  const auto add_rounds = [&](int count, record::Pair measured) {
    for (int i = 0; i < count; ++i) {
      measured.round = pairs.rounds();
      add(pairs, {measured, {}});
    }
  };
  add_rounds(by_baseline, pair(100, {"hot", ""}));
  add_rounds(by_both, pair(100, {"hot", "hot"}));
  add_rounds(by_candidate, pair(100, {"", "hot"}));
  add_rounds(kept, pair(candidate_ns));
  return pairs;
}

// ---- tails

/// The verdict after 60 rounds, of which every `nth` has a slow process of the candidate.
record::CaseVerdict of_slow_processes(int nth, double ratio, const GateCase& of = gate_case()) {
  CasePairs pairs;
  for (int round = 0; round < 60; ++round) {
    record::Pair each = pair(round > 0 && round % nth == 0 ? 100 * ratio : 100);
    each.round = round;
    const std::vector<double> baseline(10, each.baseline_ns), candidate(10, each.candidate_ns);
    add(pairs, {each, analysis::shape_of(baseline, candidate)});
  }
  return judge(setup(), of, pairs, {true, true, 1}, true, "", 60);
}

TEST(CaseVerdict, OfATailSaysHowManyProcessesOfEachSideAreSlow) {
  const record::CaseVerdict shown = of_slow_processes(5, 1.2);
  EXPECT_EQ(shown.verdict, Verdict::tail);
  EXPECT_EQ(shown.tail, record::Tail::processes);
  EXPECT_EQ(shown.reason, "slow processes 0 of 52 -> 10 of 52");
}

TEST(CaseVerdict, OfASuspectedTailSaysWhatWouldShowIt) {
  const record::CaseVerdict suspected = of_slow_processes(10, 1.4);
  EXPECT_TRUE(suspected.tail_suspected);
  EXPECT_EQ(suspected.reason,
            "slow processes 0 of 52 -> 5 of 52; 8 slow processes against none would show a tail");
}

TEST(CaseVerdict, ATailMayBeTheFirstToShowARegressionThatIsExpected) {
  GateCase slower = gate_case();
  slower.rule.expected = true;
  slower.rule.expectation = "why";
  EXPECT_TRUE(of_slow_processes(5, 1.2, slower).expected);
  slower.rule.at_most = 0.1;
  EXPECT_TRUE(of_slow_processes(5, 1.2, slower).expected);
  EXPECT_NEAR(of_slow_processes(5, 1.2, slower).mean_ratio.value(), 1.034, 0.002);
  slower.rule.at_most = 0.02;
  EXPECT_FALSE(of_slow_processes(5, 1.2, slower).expected) << "its mean grew by more";
  slower.rule.at_most.reset();
  slower.rule.expectation_over = true;
  EXPECT_FALSE(of_slow_processes(5, 1.2, slower).expected);
}

TEST(CaseVerdict, SlowLaunchesAreNoExpectedRegression) {
  GateCase slower = gate_case();
  slower.rule.expected = true;
  slower.rule.expectation = "why";
  CasePairs pairs;
  std::vector<double> candidate(10, 100.0);
  candidate.back() = 1000;
  for (int round = 0; round < 60; ++round) {
    record::Pair each = pair(100);
    each.round = round;
    add(pairs, {each, analysis::shape_of(std::vector<double>(10, 100.0), candidate)});
  }
  const record::CaseVerdict found = judge(setup(), slower, pairs, {true, true, 1}, true, "", 60);
  EXPECT_EQ(found.tail, record::Tail::launches);
  EXPECT_FALSE(found.expected);
}

// ---- rounds that end a case

TEST(CaseVerdict, WhatASideLacksInItsFirstRoundIsMissingOrNew) {
  const auto verdict = [](Outcome baseline, Outcome candidate) {
    return ended_by(gate_case(), {result(baseline), result(candidate)}, 0, 0)->verdict;
  };
  for (const Outcome absent : {Outcome::unavailable, Outcome::unsupported}) {
    EXPECT_EQ(verdict(Outcome::ok, absent), Verdict::missing);
    EXPECT_EQ(verdict(absent, Outcome::ok), Verdict::new_case);
    EXPECT_EQ(verdict(absent, absent), Verdict::skipped);
  }
}

TEST(CaseVerdict, WhatASideLacksAfterItWasMeasuredHasCrashed) {
  for (const Outcome absent : {Outcome::unavailable, Outcome::unsupported})
    for (const auto& [baseline, candidate] :
         {std::pair{Outcome::ok, absent}, {absent, Outcome::ok}, {absent, absent}}) {
      const auto ended =
          ended_by(gate_case(), {result(baseline), result(candidate, "no library")}, 9, 8);
      ASSERT_TRUE(ended);
      EXPECT_EQ(ended->verdict, Verdict::crashed);
      EXPECT_NE(ended->reason.find("in round 10: was measured in 8 rounds and then said "),
                std::string::npos)
          << ended->reason;
    }
}

TEST(CaseVerdict, WhatOneSideLeavesUnverifiedIsNotComparedWithWhatWasVerified) {
  const auto verdict = [](const run::CaseResult& baseline, const run::CaseResult& candidate) {
    const auto ended = ended_by(gate_case(), {baseline, candidate}, 3, 3);
    return ended ? std::optional(ended->verdict) : std::nullopt;
  };
  const run::CaseResult unverified = result(Outcome::unverified);
  for (const Outcome outcome : {Outcome::ok, Outcome::unstable, Outcome::invalid_environment}) {
    run::CaseResult verified = result(outcome);
    verified.measurement.verification = record::Verification{0, 1};
    EXPECT_EQ(verdict(verified, unverified), Verdict::missing);
    EXPECT_EQ(verdict(unverified, verified), Verdict::no_baseline);
  }
  EXPECT_EQ(verdict(unverified, unverified), std::nullopt);
  const run::CaseResult silent = result(Outcome::not_measured);
  EXPECT_EQ(verdict(silent, unverified), std::nullopt) << "it says nothing of verification";
  EXPECT_EQ(verdict(unverified, silent), std::nullopt);
  // The budget ended while one side was measured.
  EXPECT_FALSE(ended_by(gate_case(), {std::nullopt, unverified}, 3, 3));
  EXPECT_FALSE(ended_by(gate_case(), {unverified, std::nullopt}, 3, 3));
}

TEST(CaseVerdict, AWrongResultWinsOverACrashAndThatOverATimeout) {
  const auto verdict = [](Outcome one, Outcome two) {
    const auto ended = ended_by(gate_case(), {result(one), result(two)}, 3, 3);
    const auto mirrored = ended_by(gate_case(), {result(two), result(one)}, 3, 3);
    EXPECT_EQ(ended->verdict, mirrored->verdict);
    return ended->verdict;
  };
  EXPECT_EQ(verdict(Outcome::wrong_result, Outcome::crashed), Verdict::wrong_result);
  EXPECT_EQ(verdict(Outcome::timeout, Outcome::crashed), Verdict::crashed);
  EXPECT_EQ(verdict(Outcome::timeout, Outcome::unavailable), Verdict::timeout);
  EXPECT_FALSE(ended_by(gate_case(), {result(Outcome::ok), result(Outcome::unstable)}, 3, 3));
  EXPECT_FALSE(
      ended_by(gate_case(), {result(Outcome::ok), result(Outcome::invalid_environment)}, 3, 3));
}

TEST(CaseVerdict, WhatIsWrongOnBothSidesCastsDoubtOnTheCheck) {
  const auto reason = [](Outcome baseline, Outcome candidate) {
    return ended_by(gate_case(), {result(baseline), result(candidate)}, 3, 3)->reason;
  };
  const std::string hint = "the baseline is wrong, too: doubt what outputs are compared with";
  EXPECT_NE(reason(Outcome::wrong_result, Outcome::wrong_result).find(hint), std::string::npos);
  EXPECT_EQ(reason(Outcome::ok, Outcome::wrong_result).find(hint), std::string::npos);
  EXPECT_EQ(reason(Outcome::wrong_result, Outcome::crashed).find(hint), std::string::npos);
  EXPECT_EQ(reason(Outcome::crashed, Outcome::crashed).find(hint), std::string::npos);
}

TEST(CaseVerdict, WhatDoesNotFitTwiceIsSkippedUnlessItDid) {
  const auto after = [](const CasePairs& pairs) {
    return too_large(setup(), gate_case(), pairs, {}, "the reason");
  };
  EXPECT_EQ(after({}).verdict, Verdict::skipped);
  EXPECT_TRUE(after({}).no_room);
  EXPECT_EQ(after({}).reason, "both sides do not fit into memory together: the reason");
  EXPECT_EQ(after(measured(30, 100, 0, 0)).verdict, Verdict::invalid_environment);
  const record::CaseVerdict later = after(measured(0, 100, 0, 1));
  EXPECT_EQ(later.verdict, Verdict::invalid_environment);
  EXPECT_EQ(later.reason,
            "both sides do not fit into memory together any more, after 1 round: the reason");
  const record::CaseVerdict doubted = after(measured(5, 1000, 0, 0));
  EXPECT_EQ(doubted.verdict, Verdict::undecided);
  EXPECT_EQ(doubted.doubt, record::Doubt::exact);
  EXPECT_EQ(doubted.reason,
            "both sides do not fit into memory together any more, after 5 rounds: the reason");
  EXPECT_EQ(after(measured(12, 1000, 0, 0)).verdict, Verdict::regression);
}

// ---- pairs that do not count

TEST(CaseVerdict, APairIsDroppedByTheSideOrSidesThatWereDisturbed) {
  const run::CaseResult fine = result(Outcome::ok),
                        hot = result(Outcome::invalid_environment, "hot");
  EXPECT_EQ(to_text(drop_of({fine, fine})), "");
  EXPECT_EQ(to_text(drop_of({hot, fine})), "baseline: hot");
  EXPECT_EQ(to_text(drop_of({fine, hot})), "candidate: hot");
  EXPECT_EQ(to_text(drop_of({hot, hot})), "both: baseline: hot; candidate: hot");
  run::CaseResult paused = result(Outcome::unverified, "stopped");
  EXPECT_EQ(to_text(drop_of({fine, paused})), "");
  paused.paused_s = 1;
  EXPECT_EQ(to_text(drop_of({fine, paused})), "candidate: stopped");
  // ... and is read back so when a gate goes on.
  for (const auto& [results, baseline, candidate] :
       {std::tuple{Sides<run::CaseResult>{hot, fine}, 1, 0},
        {Sides<run::CaseResult>{fine, hot}, 0, 1},
        {Sides<run::CaseResult>{hot, hot}, 0, 0},
        {Sides<run::CaseResult>{fine, fine}, 0, 0}}) {
    CasePairs pairs;
    add(pairs, {pair(100, drop_of(results)), {}});
    EXPECT_EQ(pairs.dropped_alone.baseline, baseline);
    EXPECT_EQ(pairs.dropped_alone.candidate, candidate);
    EXPECT_EQ(pairs.rounds(), 1);
  }
}

constexpr analysis::Screening innocent{true, false, 1};

TEST(CaseVerdict, ACandidateThatIsDisturbedAloneDoesNotPass) {
  const auto judged = [](double candidate_ns, int by_baseline, int by_candidate) {
    return judge(setup(), gate_case(), measured(18, candidate_ns, by_baseline, by_candidate),
                 innocent, true, "the budget was spent", 0);
  };
  EXPECT_EQ(judged(100, 6, 0).verdict, Verdict::pass);
  EXPECT_EQ(judged(100, 8, 8).verdict, Verdict::undecided) << "all might have been slow";
  const record::CaseVerdict verdict = judged(100, 0, 6);
  EXPECT_EQ(verdict.verdict, Verdict::undecided);
  EXPECT_EQ(verdict.reason,
            "the budget was spent; the candidate alone was disturbed in 6 rounds, the baseline "
            "alone in 0; the latest: candidate: hot");
  EXPECT_EQ(verdict.dropped_candidate, 6);
  EXPECT_EQ(verdict.doubt, record::Doubt::exact) << "six coins that fall alike";
  EXPECT_FALSE(verdict.tail_suspected);
  EXPECT_FALSE(judged(100, 0, 5).doubt);
  EXPECT_FALSE(judged(100, 8, 8).doubt);
  EXPECT_EQ(judged(80, 0, 6).verdict, Verdict::undecided) << "its other rounds may hide something";
  EXPECT_EQ(judged(80, 6, 0).verdict, Verdict::improvement);
  EXPECT_EQ(judged(120, 0, 7).verdict, Verdict::regression) << "even when nothing disturbs it";
}

TEST(CaseVerdict, AnUndecidedCaseThatSeemsSlowerIsDoubted) {
  GateCase slower = gate_case();
  const record::CaseVerdict tenfold =
      judge(setup(), slower, measured(3, 1000, 0, 0), {}, true, "the budget was spent", 0);
  EXPECT_EQ(tenfold.verdict, Verdict::undecided);
  EXPECT_EQ(tenfold.doubt, record::Doubt::cluster);
  EXPECT_EQ(tenfold.more_pairs, 4);
  EXPECT_FALSE(tenfold.smallest_effect);
  EXPECT_FALSE(judge(setup(), slower, measured(3, 1000, 0, 0), {}, false, "", 0).doubt)
      << "it goes on";
  EXPECT_FALSE(judge(setup(), slower, measured(3, 100, 0, 0), {}, true, "", 0).doubt);
  slower.rule.expected = true;
  slower.rule.expectation = "why";
  EXPECT_FALSE(judge(setup(), slower, measured(3, 1000, 0, 0), {}, true, "", 0).doubt);
  slower.rule.at_most = 0.1;
  EXPECT_EQ(judge(setup(), slower, measured(3, 1000, 0, 0), {}, true, "", 0).doubt,
            record::Doubt::cluster)
      << "that is not what was agreed to";
  EXPECT_EQ(judge(setup(), slower, measured(3, 1000, 0, 0), {}, true, "", 0).more_pairs, 4);
  EXPECT_FALSE(judge(setup(), slower, measured(6, 105, 0, 0), {}, true, "", 0).doubt);
  slower.rule.at_most = 20;
  EXPECT_FALSE(judge(setup(), slower, measured(3, 1000, 0, 0), {}, true, "", 0).doubt);
}

TEST(CaseVerdict, APairThatWasDroppedHidesNoSlowDown) {
  const auto judged = [](int kept, int by_baseline, int by_candidate) {
    return judge(setup(), gate_case(), measured(kept, 1000, by_baseline, by_candidate), {}, true,
                 "the budget was spent", 0);
  };
  for (const auto& [kept, by_baseline, by_candidate, doubt] :
       {std::tuple{5, 1, 0, record::Doubt::exact},
        {6, 0, 1, record::Doubt::exact},
        {3, 13, 0, record::Doubt::cluster},
        {3, 0, 2, record::Doubt::cluster}}) {
    const record::CaseVerdict verdict = judged(kept, by_baseline, by_candidate);
    EXPECT_EQ(verdict.verdict, Verdict::undecided) << kept;
    EXPECT_EQ(verdict.doubt, doubt) << kept;
    EXPECT_TRUE(verdict.more_pairs) << kept;
  }
}

TEST(CaseVerdict, TooFewPairsAreSaidWithTheSideThatDrops) {
  const auto judged = [](int by_baseline, int by_candidate, int by_both) {
    return judge(setup(), gate_case(), measured(4, 100, by_baseline, by_candidate, by_both), {},
                 true, "the budget was spent", 0);
  };
  EXPECT_EQ(judged(2, 2, 0).verdict, Verdict::invalid_environment);
  EXPECT_EQ(judged(2, 2, 0).reason,
            "4 of 8 pairs were disturbed, and 4 are too few to judge by; the latest: candidate: "
            "hot");
  EXPECT_EQ(judged(0, 3, 0).verdict, Verdict::invalid_environment);
  EXPECT_EQ(judged(0, 3, 0).reason,
            "3 of 7 pairs were disturbed, and 4 are too few to judge by; the candidate alone was "
            "disturbed in 3 rounds, the baseline alone in 0; the latest: candidate: hot");
  EXPECT_FALSE(judged(0, 3, 0).more_pairs);
  const record::CaseVerdict leans = judged(0, 10, 0);
  EXPECT_EQ(leans.verdict, Verdict::undecided);
  EXPECT_EQ(leans.doubt, record::Doubt::exact);
  EXPECT_EQ(leans.reason,
            "the budget was spent; the candidate alone was disturbed in 10 rounds, the baseline "
            "alone in 0; the latest: candidate: hot");
  EXPECT_EQ(judged(10, 0, 0).verdict, Verdict::invalid_environment);
  EXPECT_EQ(judged(0, 0, 10).verdict, Verdict::invalid_environment);
}

TEST(CaseVerdict, ATailThatCouldNotBeTestedIsDoubted) {
  const auto after = [](int rounds, int slow, analysis::Tails tails = analysis::Tails::fail) {
    CasePairs pairs;
    std::vector<double> usual(10, 100.0), candidate = usual;
    candidate.back() = 1000;
    for (int round = 0; round < rounds; ++round) {
      record::Pair each = pair(100);
      each.round = round;
      add(pairs, {each, analysis::shape_of(usual, round < slow ? candidate : usual)});
    }
    GateCase of = gate_case();
    of.rule.tails = tails;
    return judge(setup(), of, pairs, {rounds > 8, rounds > 8, 1}, true, "", 0);
  };
  for (const int rounds : {6, 8, 12, 17}) {
    EXPECT_EQ(after(rounds, rounds).verdict, Verdict::undecided) << rounds;
    EXPECT_EQ(after(rounds, rounds).doubt, record::Doubt::exact) << rounds;
    EXPECT_TRUE(after(rounds, rounds).tail_suspected) << rounds;
  }
  EXPECT_FALSE(after(5, 5).doubt);
  EXPECT_FALSE(after(12, 5).doubt);
  EXPECT_EQ(after(12, 12, analysis::Tails::tell).verdict, Verdict::pass);
  EXPECT_FALSE(after(12, 12, analysis::Tails::tell).doubt);
}

// ---- the end of the budget

TEST(CaseVerdict, WhatTakesOutOfAllProportionHangs) {
  EXPECT_FALSE(hangs(1000, 0));  // nothing is known of it
  EXPECT_FALSE(hangs(2.9, 0.001));
  EXPECT_TRUE(hangs(3, 0.001));
  EXPECT_FALSE(hangs(9.9, 1));
  EXPECT_TRUE(hangs(10, 1));
}

}  // namespace case_verdict_test
}  // namespace ridgeline::gate
