#include "harness/analysis/gate_tail.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/gate_decision.hpp"

namespace ridgeline::analysis {
namespace gate_tail_test {

using record::Tail;
using record::Verdict;

const GatePlan plan = plan_for(DeviceKind::cuda);
constexpr Screening running{}, innocent{true, false, 1}, suspect{true, true, 1};
// Pairs behind the screening at the first look of a suspect and at the last.
const int first_look = plan.tail_looks.front() - plan.screening_rounds,
          last_look = plan.tail_looks.back() - plan.screening_rounds;

/// A pair whose medians and quartiles differ by a log ratio, and its mean, ...
struct Planted {
  double median = 0, mean = 0, ninetieth = 0, quartile = 0, slow = 0;
};

PairedTimes pair_of(const Planted& planted, int round = 0,
                    Disturbed disturbed = Disturbed::neither) {
  PairedTimes pair{100, 100 * std::exp(planted.median), round, disturbed};
  pair.shape.mean = planted.mean;
  pair.shape.ninetieth = planted.ninetieth;
  pair.shape.baseline_quartile = std::log(100);
  pair.shape.candidate_quartile = std::log(100) + planted.quartile;
  pair.shape.candidate_slow = planted.slow;
  return pair;
}

/// The screening rounds without anything, then `count` pairs with what is planted, then `plain`
/// without.
std::vector<PairedTimes> rounds(int count, const Planted& planted, int plain = 0,
                                Disturbed disturbed = Disturbed::neither) {
  std::vector<PairedTimes> pairs;
  for (int i = 0; i < plan.screening_rounds; ++i) pairs.push_back(pair_of({}, i));
  for (int i = 0; i < count + plain; ++i)
    pairs.push_back(i < count ? pair_of(planted, plan.screening_rounds + i, disturbed)
                              : pair_of({}, plan.screening_rounds + i));
  return pairs;
}

TailDecision on(const std::vector<PairedTimes>& pairs, int suspects, double delta = .005,
                bool last = false) {
  return decide_tail(plan, .01 / suspects, delta, pairs, last);
}

Decision decided(const std::vector<PairedTimes>& pairs, const Screening& screening,
                 bool last = false, Tails tails = Tails::fail);

constexpr Planted a_slow_process{.1, .1, .1, .1, 0};

TEST(PairShape, OfOneLaunchInTenTwiceAsSlow) {
  const std::vector<double> usual{100, 101, 100, 99, 100, 101, 100, 99, 100, 100};
  std::vector<double> slow = usual;
  slow[2] = 200;
  const PairShape shape = shape_of(usual, slow);
  EXPECT_NEAR(shape.mean, .09531, 5e-7);
  EXPECT_NEAR(shape.ninetieth, .093508, 5e-7);
  EXPECT_EQ(shape.candidate_slow, .1);
  EXPECT_EQ(shape.baseline_slow, 0);
  EXPECT_EQ(shape.samples, 10);
  EXPECT_EQ(shape_of(usual, std::vector<double>(7, 100)).samples, 7);
  EXPECT_NEAR(shape.candidate_quartile - shape.baseline_quartile, 0, 1e-12);
}

TEST(GateTail, AsManyPairsAsALookHasWithASlowLaunchInTenShowIt) {
  const TailDecision shown = on(rounds(first_look, {.slow = .1}), 1);
  EXPECT_EQ(shown.tail, Tail::launches);
  EXPECT_EQ(shown.p_value, std::ldexp(1., -first_look));
  EXPECT_EQ(shown.pairs, 27u);
  const TailDecision few = on(rounds(12, {.slow = .1}, first_look - 12), 1);
  EXPECT_FALSE(few.tail);
  EXPECT_FALSE(few.cleared) << "twelve are too few for this look, but suspicious";
}

TEST(GateTail, EightSlowProcessesAreEnoughForOneSuspect) {
  const TailDecision one = on(rounds(8, a_slow_process, last_look - 8), 1);
  EXPECT_EQ(one.tail, Tail::processes);
  EXPECT_EQ(one.p_value, std::ldexp(1., -8));
  EXPECT_FALSE(on(rounds(8, a_slow_process, last_look - 8), 2).tail);
  EXPECT_EQ(on(rounds(9, a_slow_process, last_look - 9), 2).p_value, std::ldexp(1., -9));
}

TEST(GateTail, SaysHowManyProcessesAreSlowAndHowManyWouldBeEnough) {
  std::vector<PairedTimes> pairs = rounds(9, a_slow_process, last_look - 9);
  pairs.back().shape.baseline_quartile += .1;  // and one of the baseline's
  const TailDecision found = on(pairs, 1);
  EXPECT_FALSE(found.tail);
  ASSERT_TRUE(found.slow);
  EXPECT_EQ(found.slow->rounds, last_look);
  EXPECT_EQ(found.slow->candidate, 9);
  EXPECT_EQ(found.slow->baseline, 1);
  EXPECT_EQ(found.slow->enough, 8);
  EXPECT_EQ(on(rounds(0, {}, first_look), 1).slow.value().candidate, 0);
  EXPECT_EQ(decided(pairs, suspect, true).slow.value().candidate, 9);
  EXPECT_FALSE(decided(rounds(0, {}, first_look), suspect).slow);
}

TEST(GateTail, SaysWhatThePlanCouldShow) {
  // ceil(log2(K / .0042)) slow processes, and ceil(log2(K / .00105)) with slow launches.
  const TailReach one = tail_reach(plan, .01), twelve = tail_reach(plan, .01 / 12);
  EXPECT_EQ(one.rounds, last_look);
  EXPECT_EQ(one.processes, 8);
  EXPECT_EQ(one.launches, 10);
  EXPECT_EQ(twelve.processes, 12);
  EXPECT_EQ(twelve.launches, 14);
  EXPECT_EQ(tail_reach(on_medians_alone(plan), .01).rounds, 0);
}

TEST(GateTail, MeansAndNinetiesAreQuestionsOfTheirOwn) {
  EXPECT_EQ(on(rounds(last_look, {.mean = .02}), 1, .01).tail, Tail::means);
  // A mean that two huge pairs move, and a 90th percentile that all have.
  std::vector<PairedTimes> pairs = rounds(last_look, {.mean = .005, .ninetieth = .02});
  pairs[20].shape.mean = pairs[30].shape.mean = 1;
  EXPECT_EQ(on(pairs, 1, .01).tail, Tail::nineties);
}

TEST(GateTail, TheLastBitsOfARatioDecideNothing) {
  const double delta = std::log1p(.03), same = delta - 1e-15;
  EXPECT_EQ(on(rounds(last_look, {.mean = same}), 1, delta).tail, Tail::means);
  EXPECT_TRUE(
      is_suspicious(std::vector<PairedTimes>(8, pair_of({.mean = delta / 2 - 1e-15})), delta));
}

TEST(GateTail, WhatIsNoLongerSuspiciousIsCleared) {
  const TailDecision found = on(rounds(0, {}, first_look), 1);
  EXPECT_TRUE(found.cleared);
  EXPECT_EQ(found.pairs, 27u);
  EXPECT_FALSE(on(rounds(0, {}, first_look - 1), 1).cleared) << "before the look";
  EXPECT_TRUE(on(rounds(0, {}, 10), 1, .005, true).cleared) << "no more pairs will come";
  EXPECT_FALSE(on(rounds(0, {}, 9), 1, .005, true).cleared) << "which means cannot be tested by";
  EXPECT_FALSE(on(rounds(9, {.slow = .1}, 10), 1, .005, true).cleared);
}

TEST(GateTail, ASuspectIsTestedByAsManyPairsAsEveryQuestionNeeds) {
  EXPECT_FALSE(on(rounds(0, {}), 1, .005, true).tested);
  EXPECT_FALSE(on(rounds(9, {.slow = .1}), 1, .005, true).tested);
  EXPECT_TRUE(on(rounds(9, {.slow = .1}, 1), 1, .005, true).tested);
  EXPECT_FALSE(on(rounds(9, {.slow = .1}, 1), 2, .005, true).tested) << "half of the level each";
  EXPECT_TRUE(on(rounds(9, {.slow = .1}, 2), 2, .005, true).tested);
  EXPECT_TRUE(on(rounds(9, {.slow = .1}, first_look - 9), 1, .005).tested);
  EXPECT_FALSE(on(rounds(9, {.slow = .1}, first_look - 9), 1000, .005).tested)
      << "19 pairs show nothing at this level";
}

/// What shows a tail to one question alone.
struct OfOneQuestion {
  Tail tail;
  Planted planted;
};
constexpr OfOneQuestion of_one_question[] = {{Tail::launches, {.slow = .1}},
                                             {Tail::processes, {.quartile = .1}},
                                             {Tail::means, {.mean = .1}},
                                             {Tail::nineties, {.ninetieth = .1}}};

/// The level of the question when `count` fresh pairs show it, from that one on; the pairs before
/// show nothing and are suspicious.
double level_of(Tail question, Planted planted, int from, int count, double alpha, bool last) {
  constexpr double delta = .01;
  const auto or_even = [](double value) { return value != 0 ? value : delta / 2 + 1e-13; };
  const Planted nothing{.mean = or_even(0), .ninetieth = or_even(0)};
  planted.mean = or_even(planted.mean);
  planted.ninetieth = or_even(planted.ninetieth);
  std::vector<PairedTimes> pairs = rounds(0, {});
  for (int i = 0; i < count; ++i) {
    Planted each = i < from ? nothing : planted;
    each.median = i == 0 ? 2 : 0;
    pairs.push_back(pair_of(each, plan.screening_rounds + i));
  }
  const TailDecision shown = decide_tail(plan, alpha, delta, pairs, last);
  EXPECT_EQ(shown.tail, question) << count;
  EXPECT_EQ(shown.pairs, pairs.size());
  return shown.level;
}

double level_of_all(int from, int count, double alpha, bool last = false) {
  double sum = 0;
  for (const auto& [question, planted] : of_one_question)
    sum += level_of(question, planted, from, count, alpha, last);
  return sum;
}

TEST(GateTail, TheLevelsOfAllLooksAndQuestionsAddUpToAlpha) {
  const double alpha = .15;
  std::vector<int> fresh;
  for (const int look : plan.tail_looks) fresh.push_back(look - plan.screening_rounds);
  double sum = 0;
  for (const int count : fresh) sum += level_of_all(count - 13, count, alpha);
  EXPECT_NEAR(sum, alpha, 1e-15);
  // The final look has what is left, and what was spent on the same pairs.
  EXPECT_NEAR(level_of_all(1, fresh[0] - 1, alpha, true), alpha, 1e-15);
  EXPECT_NEAR(level_of_all(fresh[1] - 5, fresh[1] + 10, alpha, true), plan.tail_share[2] * alpha,
              1e-15);
  // So small that the first look keeps its level for the second.
  const double tiny = 3e-5;
  EXPECT_NEAR(level_of_all(0, fresh[1], tiny) + level_of_all(fresh[1], fresh[2], tiny), tiny,
              1e-18);
}

TEST(GateTail, WhatTheNinetiesMayStillShowIsNotCleared) {
  // The mean grew by two thirds of delta, and the 90th percentile by more in two pairs of three.
  std::vector<PairedTimes> pairs = rounds(last_look, {.mean = .02, .ninetieth = .09});
  for (std::size_t i = 10; i < pairs.size(); i += 3) pairs[i].shape.ninetieth = -.04;
  const auto until = [&](int look) {
    return on({pairs.begin(), pairs.begin() + plan.tail_looks[static_cast<std::size_t>(look)]}, 1,
              .03);
  };
  EXPECT_FALSE(until(0).cleared);
  EXPECT_FALSE(until(0).tail);
  EXPECT_EQ(until(1).tail, Tail::nineties);
}

TEST(GateTail, SlowerThroughoutByLessThanDeltaIsNone) {
  const TailDecision found = on(rounds(first_look, {.004, .004, .004, .004, 0}), 1);
  EXPECT_FALSE(found.tail);
  EXPECT_TRUE(found.cleared);
  EXPECT_TRUE(is_suspicious(std::vector<PairedTimes>(12, pair_of({.004, .004})), .005));
}

TEST(GateTail, ThePairsOfTheScreeningShowNothing) {
  std::vector<PairedTimes> pairs = rounds(0, {}, first_look);
  for (int i = 0; i < plan.screening_rounds; ++i)
    pairs[static_cast<std::size_t>(i)] = pair_of({.slow = 1}, i);
  EXPECT_TRUE(on(pairs, 1).cleared);
  EXPECT_TRUE(is_suspicious(screening_pairs(plan, pairs), .005));
}

TEST(GateTail, ACandidateThatIsDisturbedAloneThrottles) {
  const TailDecision shown = on(rounds(8, {}, last_look - 8, Disturbed::candidate), 1);
  EXPECT_EQ(shown.tail, Tail::throttles);
  EXPECT_FALSE(on(rounds(8, {}, last_look - 8, Disturbed::baseline), 1).tail);
  EXPECT_FALSE(on(rounds(8, {}, last_look - 8, Disturbed::both), 1).tail);
  std::vector<PairedTimes> slow = rounds(20, a_slow_process, last_look - 20);
  slow.back().disturbed = Disturbed::candidate;
  EXPECT_EQ(on(slow, 1).tail, Tail::processes) << "which does not need the disturbed one";
}

TEST(GateTail, ASuspectHintsAtATailOrASlowerMedian) {
  const std::vector<PairedTimes> quiet(12, pair_of({}));
  EXPECT_FALSE(is_suspicious(quiet, .005));
  EXPECT_FALSE(is_suspicious({}, .005));
  std::vector<PairedTimes> one = quiet;
  one[0] = pair_of(a_slow_process);
  EXPECT_TRUE(is_suspicious(one, .005));
  EXPECT_TRUE(is_suspicious(std::vector<PairedTimes>(12, pair_of({.slow = .01})), .005));
  one[0] = pair_of({.slow = .3});
  EXPECT_FALSE(is_suspicious(one, .005)) << "one burst in twelve pairs";
}

// ---- Beside the medians.

/// With a screening that ends at a look at the medians.
GatePlan screened_late() {
  GatePlan late = plan;
  late.screening_rounds = 12;
  return late;
}

CaseRule rule() {
  CaseRule made;
  made.delta = .005;
  return made;
}

Decision decided(const std::vector<PairedTimes>& pairs, const Screening& screening, bool last,
                 Tails tails) {
  CaseRule with = rule();
  with.tails = tails;
  return decide(plan, with, 100, pairs, last, screening);
}

TEST(GateTail, NothingPassesBeforeTheScreening) {
  const std::vector<PairedTimes> screened = rounds(0, {});
  EXPECT_FALSE(decided(screened, running).decided);
  EXPECT_EQ(decided(screened, innocent).verdict, Verdict::pass);
  EXPECT_FALSE(decided(screened, suspect).decided);
  EXPECT_EQ(decided(screened, running, true).verdict, Verdict::pass) << "the budget is spent";
}

TEST(GateTail, WhatHintsAtATailDoesNotPassWhenTheTimeEndsBeforeTheScreening) {
  std::vector<PairedTimes> pairs(7, pair_of({.slow = .1}));
  const Decision found = decided(pairs, running, true);
  EXPECT_FALSE(found.decided);
  EXPECT_TRUE(found.tail_suspected);
  pairs.assign(7, pair_of({}));
  EXPECT_EQ(decided(pairs, running, true).verdict, Verdict::pass);
}

TEST(GateTail, ACandidateThatIsDisturbedMoreOftenIsNoImprovement) {
  std::vector<PairedTimes> pairs;
  for (int i = 0; i < 40; ++i)
    pairs.push_back(pair_of({-.1, -.1, -.1, -.1, 0}, i,
                            i % 5 == 4 ? Disturbed::candidate : Disturbed::neither));
  EXPECT_FALSE(decided(pairs, innocent, true).decided);
  for (PairedTimes& pair : pairs)
    if (pair.disturbed == Disturbed::candidate) pair.disturbed = Disturbed::baseline;
  EXPECT_EQ(decided(pairs, innocent, true).verdict, Verdict::improvement);
}

TEST(GateTail, ASuspectPassesOnceItIsCleared) {
  EXPECT_FALSE(decided(rounds(0, {}, first_look - 1), suspect).decided);
  EXPECT_EQ(decided(rounds(0, {}, first_look), suspect).verdict, Verdict::pass);
}

TEST(GateTail, IsAVerdictOfItsOwn) {
  const Decision found = decided(rounds(first_look, {.mean = .1, .slow = .1}), suspect);
  EXPECT_EQ(found.verdict, Verdict::tail);
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.tail, Tail::launches);
  EXPECT_NEAR(found.shape.value().mean, .1 * first_look / 27, 1e-12);
  EXPECT_EQ(found.pairs, 27);
  EXPECT_EQ(found.estimate, 0);
  EXPECT_EQ(found.p_value, std::ldexp(1., -first_look));
  const Decision told = decided(rounds(first_look, {.slow = .1}), suspect, false, Tails::tell);
  EXPECT_EQ(told.verdict, Verdict::pass);
  EXPECT_EQ(told.tail, Tail::launches);
}

TEST(GateTail, AnImprovementOfTheMedianMayHaveOne) {
  EXPECT_EQ(decided(rounds(last_look, {-.1, 0, 0, -.1, .1}), suspect).verdict, Verdict::tail);
  // Of few cases, the screening rounds alone show the improvement.
  const std::vector<PairedTimes> faster(12, pair_of({-.1, .2, .2, -.1, .1}));
  EXPECT_EQ(decide(on_medians_alone(screened_late()), rule(), 1, faster, true).verdict,
            Verdict::improvement);
  EXPECT_TRUE(is_suspect(screened_late(), rule(), 1, faster));
  EXPECT_FALSE(
      is_suspect(screened_late(), rule(), 1, std::vector(12, pair_of({-.1, -.1, -.1, -.1, 0}))));
}

TEST(GateTail, OfASlowerMedianItIsARegression) {
  std::vector<PairedTimes> pairs;
  for (int i = 0; i < 18; ++i) pairs.push_back(pair_of({.1, .1, .1, .1, 1}, i));
  EXPECT_EQ(decided(pairs, suspect).verdict, Verdict::regression);
  EXPECT_FALSE(is_suspect(screened_late(), rule(), 1, pairs)) << "found by the medians of twelve";
  EXPECT_TRUE(is_suspect(screened_late(), rule(), 100, pairs));
}

TEST(GateTail, ThatIsNotProvedIsSaid) {
  const Decision found = decided(rounds(8, {.slow = .1}, first_look - 8), suspect, true);
  EXPECT_EQ(found.verdict, Verdict::pass);
  EXPECT_TRUE(found.tail_suspected);
}

TEST(GateTail, ASuspectThatWasNotTestedDoesNotPass) {
  // Ten pairs are the least that show one launch in ten, and that are enough for other questions.
  for (int count = 0; count < 10; ++count) {
    for (const Decision& found : {decided(rounds(count, {.slow = .1}), suspect, true),
                                  decided(rounds(0, {}, count), suspect, true)}) {
      EXPECT_EQ(found.verdict, Verdict::undecided) << count;
      EXPECT_FALSE(found.decided) << count;
      EXPECT_TRUE(found.tail_suspected) << count;
    }
    EXPECT_EQ(decided(rounds(count, {-.1, 0, 0, -.1, .1}), suspect, true).verdict,
              Verdict::undecided)
        << count;
  }
  EXPECT_EQ(decided(rounds(10, {.slow = .1}), suspect, true).verdict, Verdict::tail);
  EXPECT_EQ(decided(rounds(0, {}, 10), suspect, true).verdict, Verdict::pass);
}

TEST(GateTail, WhereTailsAreOnlyToldASuspicionKeepsNothingFromPassing) {
  for (const Decision& found :
       {decided(rounds(3, {.slow = .1}), suspect, true, Tails::tell),
        decided(std::vector<PairedTimes>(7, pair_of({.slow = .1})), running, true, Tails::tell)}) {
    EXPECT_EQ(found.verdict, Verdict::pass);
    EXPECT_FALSE(found.tail_suspected);
  }
}

TEST(GateTail, OfAllPairsADoubtIsRarerThanOneSuiteInTwenty) {
  const auto doubted = [](int count, const Planted& planted, int cases,
                          Disturbed disturbed = Disturbed::neither, int plain = 0) {
    std::vector<PairedTimes> pairs;
    for (int i = 0; i < count + plain; ++i)
      pairs.push_back(i < count ? pair_of(planted, i, disturbed) : pair_of({}, i));
    return tail_in_doubt(pairs, .005, cases);
  };
  EXPECT_FALSE(tail_in_doubt({}, .005, 1));
  // Coins of a fortieth: 6 alike of one case, 9 of 10, 12 of 100.
  for (const auto& [cases, enough] : {std::pair{1, 6}, {10, 9}, {100, 12}}) {
    EXPECT_EQ(doubted(enough, {.slow = .1}, cases), Tail::launches) << cases;
    EXPECT_FALSE(doubted(enough - 1, {.slow = .1}, cases)) << cases;
    EXPECT_EQ(doubted(enough, {.mean = .1}, cases), Tail::means) << cases;
    EXPECT_FALSE(doubted(enough - 1, {.mean = .1}, cases)) << cases;
    EXPECT_EQ(doubted(enough, {}, cases, Disturbed::candidate, 4), Tail::throttles) << cases;
    EXPECT_FALSE(doubted(enough - 1, {}, cases, Disturbed::candidate, 4)) << cases;
  }
  EXPECT_FALSE(doubted(12, {.slow = .004}, 1)) << "which does not matter";
  EXPECT_FALSE(doubted(12, {.mean = .004}, 1));
  EXPECT_FALSE(doubted(12, {}, 1, Disturbed::baseline, 4));
  EXPECT_FALSE(doubted(12, {}, 1, Disturbed::both, 4));
}

TEST(GateTail, ACandidateThatIsDisturbedMoreOftenDoesNotPass) {
  const auto with = [](int disturbed, Disturbed side, int plain) {
    std::vector<PairedTimes> pairs;
    for (int i = 0; i < disturbed + plain; ++i)
      pairs.push_back(pair_of({}, i, i < disturbed ? side : Disturbed::neither));
    return decided(pairs, innocent, true);
  };
  EXPECT_FALSE(with(4, Disturbed::candidate, 20).decided);
  EXPECT_EQ(with(4, Disturbed::baseline, 20).verdict, Verdict::pass);
  EXPECT_EQ(with(4, Disturbed::both, 20).verdict, Verdict::pass);
  EXPECT_FALSE(with(1, Disturbed::candidate, 20).decided);
  EXPECT_EQ(with(1, Disturbed::candidate, 40).verdict, Verdict::pass) << "once by chance";
  EXPECT_FALSE(with(20, Disturbed::candidate, 0).decided);
  EXPECT_FALSE(with(20, Disturbed::candidate, 0).estimate) << "no pair counts";
}

}  // namespace gate_tail_test
}  // namespace ridgeline::analysis
