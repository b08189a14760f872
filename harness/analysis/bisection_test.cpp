#include "harness/analysis/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/gate_decision.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace bisection_test {

using Parents = std::vector<std::vector<std::size_t>>;

Parents line(std::size_t commits) {
  Parents parents(commits);
  for (std::size_t i = 1; i < commits; ++i) parents[i] = {i - 1};
  return parents;
}

/// Gates that are never wrong, about commits that are bad from `first` on.
auto oracle(std::size_t first, const std::vector<std::size_t>& unbuildable = {}) {
  return [=](std::size_t commit, double, int) -> CommitAnswer {
    if (std::ranges::find(unbuildable, commit) != unbuildable.end())
      return {Tested::untestable, false};
    return {commit >= first ? Tested::bad : Tested::good, true};
  };
}

TEST(Bisection, FindsEachOf64CommitsInSevenGatesWithTheOneOfTheEnds) {
  EXPECT_EQ(planned_gates(64), 7);
  for (std::size_t first = 0; first < 64; ++first) {
    const Bisected found = bisect(line(64), {.error = .05, .attempts = 3}, oracle(first));
    EXPECT_EQ(found.left, std::vector{first});
    EXPECT_EQ(found.gates, 7);
  }
}

TEST(Bisection, NeedsNoMoreThanItPlansForAnyNumberOfCommits) {
  for (std::size_t commits = 1; commits <= 40; ++commits)
    for (std::size_t first = 0; first < commits; ++first) {
      const Bisected found = bisect(line(commits), {.error = .05, .attempts = 3}, oracle(first));
      EXPECT_EQ(found.left, std::vector{first});
      EXPECT_LE(found.gates, planned_gates(commits)) << commits;
    }
}

TEST(Bisection, SkipsWhatCannotBeTestedAndSaysWhatIsLeft) {
  for (std::size_t first = 0; first < 40; ++first) {
    std::vector<std::size_t> holes(15);
    std::iota(holes.begin(), holes.end(), 10);
    const Bisected found = bisect(line(40), {.error = .05, .attempts = 3}, oracle(first, holes));
    if (first < 10 || first > 25) {
      EXPECT_EQ(found.left, std::vector{first});
      continue;
    }
    std::vector<std::size_t> left(16);  // the first behind the hole is known to be bad
    std::iota(left.begin(), left.end(), 10);
    EXPECT_EQ(found.left, left);
  }
}

TEST(Bisection, DoesNotTryEveryCommitOfALargeHole) {
  std::vector<std::size_t> holes(500);
  std::iota(holes.begin(), holes.end(), 250);
  int tried = 0;
  const auto answer = oracle(3, holes);
  const Bisected found =
      bisect(line(1000), {.error = .05, .attempts = 3}, [&](std::size_t c, double risk, int n) {
        ++tried;
        return answer(c, risk, n);
      });
  EXPECT_EQ(found.left, std::vector<std::size_t>{3});
  EXPECT_LE(tried, 30);
}

TEST(Bisection, WhatStaysOpenIsAskedAgainAndNeverGuessed) {
  int asked = 0;
  const Bisected open =
      bisect(line(3), {.error = .05, .attempts = 4}, [&](std::size_t, double, int attempt) {
        EXPECT_EQ(attempt, asked++ % 4);
        return CommitAnswer{};
      });
  EXPECT_EQ(asked, 8);  // of the third it is known that it is bad
  EXPECT_EQ(open.left, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(open.gates, 9);
  const auto once_open = [](std::size_t commit, double, int attempt) {
    return attempt == 0 ? CommitAnswer{} : oracle(5)(commit, 0, 0);
  };
  EXPECT_EQ(bisect(line(8), {.error = .05, .attempts = 2}, once_open).left,
            std::vector<std::size_t>{5});
}

TEST(Bisection, EndsAfterSoManyGates) {
  int asked = 0;
  const auto open = [&](std::size_t, double, int) { return ++asked, CommitAnswer{}; };
  EXPECT_EQ(bisect(line(64), {.attempts = 1, .most_gates = 5}, open).left.size(), 64u);
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(bisect(line(64), {.attempts = 1}, open).gates, 21);
}

TEST(Bisection, FollowsTheLinesOfMerges) {
  // 0 - 1 - 2 ------ 6 - 7
  //      \ 3 - 4 - 5 /
  const Parents parents{{}, {0}, {1}, {1}, {3}, {4}, {2, 5}, {6}};
  for (const std::size_t first : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    const auto descends = [&](std::size_t commit) {
      std::vector<std::size_t> open{commit};
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (at == first) return true;
        open.insert(open.end(), parents[at].begin(), parents[at].end());
      }
      return false;
    };
    const Bisected found =
        bisect(parents, {.error = .05, .attempts = 1}, [&](std::size_t commit, double, int) {
          return CommitAnswer{descends(commit) ? Tested::bad : Tested::good, true};
        });
    EXPECT_EQ(found.left, std::vector{first});
  }
}

TEST(Bisection, TheSharesOfAllGatesAreNoMoreThanTheError) {
  for (const int planned : {1, 2, 7, 14}) {
    double sum = 0;
    for (int gate = 1; gate <= 10'000; ++gate) {
      EXPECT_GT(error_share(.05, gate, planned), 0);
      sum += error_share(.05, gate, planned);
    }
    EXPECT_LE(sum, .05);
    EXPECT_GT(sum, .0499);
  }
}

TEST(Bisection, GatesThatAreAsWrongAsTheyMayBeNameTheWrongCommitNoMoreOftenThanTheError) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> chance;
  constexpr int searches = 20'000;
  constexpr double error = .2;  // so that wrong ones are seen
  int wrong = 0;
  for (int i = 0; i < searches; ++i) {
    const std::size_t first = random() % 64;
    const Bisected found = bisect(line(64), {.error = error, .attempts = 4},
                                  [&](std::size_t commit, double risk, int) -> CommitAnswer {
                                    if (chance(random) < .2) return {};
                                    const bool bad = (commit >= first) != (chance(random) < risk);
                                    return {bad ? Tested::bad : Tested::good, true};
                                  });
    wrong += std::ranges::find(found.left, first) == found.left.end() ? 1 : 0;
  }
  EXPECT_LE(wrong, error * searches);
  EXPECT_GE(wrong, error / 4 * searches) << "the gates of this test are hardly ever wrong";
}

/// Rounds of one commit against the good one on a machine whose processes differ by `noise`.
std::vector<PairedTimes> rounds(double slowdown, double noise, int count, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<PairedTimes> pairs;
  for (int round = 0; round < count; ++round) {
    const double burst = random() % 10 == 0 ? 10 : 1;  // one in ten is disturbed
    pairs.push_back({1000, 1000 * std::exp(slowdown + burst * normal(random)), round});
  }
  return pairs;
}

struct Gated {
  Decision decision;
  std::vector<PairedTimes> pairs;  // that it stands on
};

Gated gate(double slowdown, double noise, double delta, double alpha, double beta,
           std::mt19937_64& random) {
  const GatePlan plan = on_medians_alone(with_pass_risk(plan_for(DeviceKind::cuda), beta));
  CaseRule rule;
  rule.delta = delta;
  rule.alpha = alpha;
  std::vector<PairedTimes> pairs = rounds(slowdown, noise, plan.rounds(false), random);
  const Decision decision = decide(plan, rule, 1, pairs, true);
  pairs.resize(static_cast<std::size_t>(decision.pairs));
  return {decision, pairs};
}

struct Study {
  int named = 0, wrong = 0, many = 0, most_gates = 0;
};

/// Searches for a slow-down among 64 commits, with the gates' own decisions on synthetic pairs.
Study search(double slowdown, double noise, double error, int searches) {
  std::mt19937_64 random(11);
  const int planned = planned_gates(64);
  Study study;
  for (int i = 0; i < searches; ++i) {
    const std::size_t first = random() % 64;
    const double risk = error_share(error, 1, planned);
    const Gated ends = gate(slowdown, noise, .005, risk * part_of_ends, risk, random);
    if (ends.decision.verdict != record::Verdict::regression) continue;
    const double least =
        std::max(proven_slowdown(plan_for(DeviceKind::cuda), ends.pairs, risk * (1 - part_of_ends)),
                 ends.decision.delta / 2);
    const double delta = dividing_delta(least);
    const Bisected found = bisect(
        line(64), {.error = error}, [&](std::size_t commit, double share, int) -> CommitAnswer {
          const auto verdict =
              gate(commit >= first ? slowdown : 0, noise, delta, share, share, random)
                  .decision.verdict;
          if (verdict == record::Verdict::regression) return {Tested::bad};
          if (verdict == record::Verdict::pass || verdict == record::Verdict::improvement)
            return {Tested::good};
          return {};
        });
    study.most_gates = std::max(study.most_gates, found.gates);
    if (std::ranges::find(found.left, first) == found.left.end())
      ++study.wrong;
    else
      ++(found.left.size() == 1 ? study.named : study.many);
  }
  return study;
}

TEST(Bisection, TwoPercentAmong64CommitsIsFoundInSevenGatesOnAQuietMachine) {
  const Study study = search(.02, .002, .05, 300);
  EXPECT_EQ(study.named, 300) << study.wrong << " wrong, " << study.many << " with several left";
  EXPECT_EQ(study.most_gates, 7);
}

TEST(Bisection, OnANoisyMachineMoreGatesAreNeededAndNoMoreAreWrong) {
  const Study study = search(.02, .015, .05, 150);
  EXPECT_LE(study.wrong, 7);
  EXPECT_GT(study.most_gates, 7);
  EXPECT_GT(study.named, 0);
}

TEST(Bisection, TheProvenSlowDownIsBelowTheTrueOne) {
  std::mt19937_64 random(3);
  int above = 0, proven = 0;
  for (int i = 0; i < 2000; ++i) {
    const Gated ends = gate(.02, .01, .005, .05, .05, random);
    if (ends.decision.verdict != record::Verdict::regression) continue;
    const double least = proven_slowdown(plan_for(DeviceKind::cuda), ends.pairs, .1);
    above += least > .02 ? 1 : 0;
    proven += std::isfinite(least) ? 1 : 0;
  }
  EXPECT_GT(proven, 1000);
  EXPECT_LE(above, 200);
  EXPECT_GT(above, 5) << "a bound that is never above is none of the risk that it was asked for";
  EXPECT_EQ(proven_slowdown(plan_for(DeviceKind::cuda), {}, .1), -HUGE_VAL);
}

TEST(Bisection, OtherRisksOfAWrongPassKeepToTheirSum) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::cpu})
    for (const double risk : {.05, .01, .003, .0004}) {
      const GatePlan plan = with_pass_risk(plan_for(kind), risk);
      double sum = 0;
      for (std::size_t i = 0; i < plan.looks.size(); ++i) {
        EXPECT_TRUE(plan.pass_level[i] == 0 ||
                    plan.pass_level[i] >= std::ldexp(1.0, -plan.looks[i]));
        sum += plan.pass_level[i];
      }
      EXPECT_NEAR(sum, risk, 1e-12);
    }
  EXPECT_EQ(with_pass_risk(plan_for(DeviceKind::cpu), usual_pass_risk).pass_level.size(), 6u);
}

TEST(Bisection, ASearchOfNothingIsRefused) {
  EXPECT_THROW(CommitsLeft({}), Error);
  EXPECT_THROW(CommitsLeft({{1}, {}}), Error);
}

}  // namespace bisection_test
}  // namespace ridgeline::analysis
