// How often decide() is wrong, and how often right: by counting all patterns of signs where that
// can be done, and with synthetic noise where it cannot. Seeds are fixed, so that a band is met
// always or never.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/gate_decision.hpp"
#include "harness/analysis/gate_power.hpp"
#include "harness/analysis/unpaired_decision.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace gate_error_rates_test {

using record::Verdict;
using Values = std::vector<double>;

CaseRule rule_of(double delta, double alpha = .01) {
  CaseRule rule;
  rule.delta = delta;
  rule.alpha = alpha;
  return rule;
}

// ---- Every pattern of signs, each as likely as any other when only chance decides which side is
// slower. ----

struct Shares {
  double regression = 0, improvement = 0, pass = 0;
};

// Of all patterns of the first `stop` of `distances` around `centre`.
Shares over_all_signs(const GatePlan& plan, const CaseRule& rule, const Values& distances,
                      std::size_t stop, double centre) {
  Shares shares;
  for (unsigned signs = 0; signs < 1u << stop; ++signs) {
    std::vector<PairedTimes> pairs;
    for (std::size_t i = 0; i < stop; ++i)
      pairs.push_back(
          {1, std::exp(centre + ((signs >> i & 1u) != 0 ? distances[i] : -distances[i]))});
    const Verdict verdict = decide(plan, rule, 1, pairs, true).verdict;
    shares.regression += verdict == Verdict::regression ? 1 : 0;
    shares.improvement += verdict == Verdict::improvement ? 1 : 0;
    shares.pass += verdict == Verdict::pass ? 1 : 0;
  }
  for (double* share : {&shares.regression, &shares.improvement, &shares.pass})
    *share = std::ldexp(*share, -static_cast<int>(stop));
  return shares;
}

// Small enough to be counted out, with levels large enough to be reached. The first looks have to
// carry.
const GatePlan small_plan{{3, 5, 8, 12}, {.1, .2, .3, .4}, {.05, .1, .1, .15}, .5};
const Values quiet{.31, .4, .52, .17, .66, .23, .45, .29, .37, .58, .12, .48};
const Values bursts{.011, .9, .012, .013, 4.2, .014, .015, 7.5, .016, .017, 2.8, .018};

TEST(GateErrorRates, OfTheWholeSequenceAreAtMostAlphaExactly) {
  const double alpha = .2, delta = 1e-4;  // so small that the levels alone decide
  for (const Values& distances : {quiet, bursts}) {
    const CaseRule rule = rule_of(delta, alpha);
    const double bound = small_plan.shift * std::log1p(delta);
    for (std::size_t stop = 1; stop <= distances.size(); ++stop) {
      SCOPED_TRACE(stop);
      // Whenever time runs out: the final look spends what is left, and no more.
      EXPECT_LE(over_all_signs(small_plan, rule, distances, stop, bound).regression, alpha);
      EXPECT_LE(over_all_signs(small_plan, rule, distances, stop, -bound).improvement, alpha);
    }
    // And not for want of trying. (p values have steps, and looks overlap: never all of alpha can
    // be used.)
    EXPECT_GE(over_all_signs(small_plan, rule, distances, 12, bound).regression, .4 * alpha);
    EXPECT_GE(over_all_signs(small_plan, rule, distances, 4, bound).regression, .5 * alpha);
  }
}

TEST(GateErrorRates, OfAWrongPassAreAtMostTheSumOfItsLevelsExactly) {
  const double sum = .4;
  for (const Values& distances : {quiet, bursts})
    for (std::size_t stop = 1; stop <= distances.size(); ++stop) {
      const double passed =
          over_all_signs(small_plan, rule_of(1e-4), distances, stop, std::log1p(1e-4) * (1 + 1e-9))
              .pass;
      EXPECT_LE(passed, sum) << stop;
      EXPECT_GE(passed, stop < 3 ? 0 : .25 * sum) << stop;
    }
}

/// A plan whose tails can be counted out, too.
const GatePlan small_tails{.looks = {12},
                           .alpha_share = {1},
                           .pass_level = {.05},
                           .tail_looks = {4, 6, 9, 12},
                           .tail_share = {.1, .2, .3, .4}};

/// Pairs that differ from each other by `distances`, in whatever is asked of tails.
std::vector<PairedTimes> tails_of(const Values& distances, std::size_t stop, unsigned signs) {
  std::vector<PairedTimes> pairs;
  for (std::size_t i = 0; i < stop; ++i) {
    const double distance = distances[i] * ((signs >> i & 1u) != 0 ? 1 : -1);
    PairedTimes pair{1, std::exp(distance), static_cast<int>(i)};
    // The noisiest pairs are not the same for each question.
    const double other = distances[(i + 5) % distances.size()] * (distance > 0 ? 1 : -1);
    pair.shape.mean = distance + other;
    pair.shape.ninetieth = other;
    pair.shape.baseline_quartile = distance < 0 ? -distance : 0;
    pair.shape.candidate_quartile = distance > 0 ? distance : 0;
    (distance > 0 ? pair.shape.candidate_slow : pair.shape.baseline_slow) = .01 + std::abs(other);
    pairs.push_back(pair);
  }
  return pairs;
}

/// Of all patterns of signs, those that show a tail.
double tails_over_all_signs(const Values& distances, std::size_t stop, double alpha) {
  int shown = 0;
  for (unsigned signs = 0; signs < 1u << stop; ++signs)
    shown +=
        decide_tail(small_tails, alpha, 1e-9, tails_of(distances, stop, signs), true).tail ? 1 : 0;
  return std::ldexp(shown, -static_cast<int>(stop));
}

TEST(GateErrorRates, OfTailsAreAtMostTheSuspectsShareExactly) {
  const double alpha = .3;
  for (const Values& distances : {quiet, bursts}) {
    for (std::size_t stop = 1; stop <= distances.size(); ++stop)
      EXPECT_LE(tails_over_all_signs(distances, stop, alpha), alpha) << stop;
    EXPECT_GE(tails_over_all_signs(distances, 12, alpha), .1 * alpha);
  }
}

// ---- Synthetic noise. ----

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // The standard's distributions differ from library to library: the bands below would hold in one
  // alone.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log1p(-uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  double exponential() { return -std::log1p(-uniform()); }
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::mt19937_64 engine_;
};

// The logarithm of one process's median.
using Noise = std::function<double(Random&)>;

// Like a kernel in cache on a shared CPU: one process in seven meets a neighbour.
double compute(Random& random) {
  return .008 * random.normal() + (random.chance(.15) ? .08 * random.exponential() : 0);
}
double memory(Random& random) {
  return .013 * random.normal() + (random.chance(.15) ? .1 * random.exponential() : 0);
}
double gpu(Random& random) { return .0015 * random.normal(); }
// Student's t with 2 degrees of freedom: no variance.
double heavy_tails(Random& random) {
  return .01 * random.normal() / std::sqrt(random.exponential());
}
// Half of all processes run in a mode that is 12.5% slower.
double bimodal(Random& random) { return .008 * random.normal() + (random.chance(.5) ? .125 : 0); }

std::vector<PairedTimes> measure(const Noise& noise, double slow_down, std::size_t count,
                                 Random& random) {
  std::vector<PairedTimes> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double baseline = noise(random);
    pairs.push_back({1000 * std::exp(baseline), 1000 * std::exp(noise(random)) * (1 + slow_down)});
  }
  return pairs;
}

struct Outcome {
  double regression = 0, improvement = 0, pass = 0, undecided = 0, rounds = 0, covered = 0;
};

// One case of `cases`, measured to the end `trials` times.
Outcome measure_out(const Noise& noise, double slow_down, double delta,
                    DeviceKind kind = DeviceKind::cpu, int cases = 100, int trials = 250) {
  Random random(20240229);
  const GatePlan plan = on_medians_alone(plan_for(kind));
  Outcome outcome;
  for (int trial = 0; trial < trials; ++trial) {
    const auto pairs =
        measure(noise, slow_down, static_cast<std::size_t>(plan.looks.back()), random);
    const Decision decision = decide(plan, rule_of(delta), cases, pairs, true);
    outcome.regression += decision.verdict == Verdict::regression ? 1 : 0;
    outcome.improvement += decision.verdict == Verdict::improvement ? 1 : 0;
    outcome.pass += decision.verdict == Verdict::pass ? 1 : 0;
    outcome.undecided += decision.decided ? 0 : 1;
    outcome.rounds += decision.pairs;
    const double truth = std::log1p(slow_down);
    outcome.covered += decision.interval.low <= truth && truth <= decision.interval.high ? 1 : 0;
  }
  for (double* each : {&outcome.regression, &outcome.improvement, &outcome.pass, &outcome.undecided,
                       &outcome.rounds, &outcome.covered})
    *each /= trials;
  return outcome;
}

TEST(GateErrorRates, OfWholeSuitesStayBelowAlpha) {
  // Alarms that are to come in at most 1 of 100 suites would take very many suites to tell from 2
  // of 100. The level is 20% here, and the noise so large against delta that the levels decide and
  // not the size of the estimate.
  const double alpha = .2;
  const int suites = 250, cases = 4;
  struct Row {
    const char* name;
    DeviceKind kind;
    Noise noise;
  };
  const Row rows[] = {{"compute", DeviceKind::cpu, compute},
                      {"memory", DeviceKind::cpu, memory},
                      {"bimodal", DeviceKind::cpu, bimodal},
                      {"heavy tails", DeviceKind::cuda, heavy_tails},
                      {"gpu", DeviceKind::cuda, gpu}};
  for (const auto& [name, kind, noise] : rows) {
    const GatePlan plan = on_medians_alone(plan_for(kind));
    Random random(17);
    int slower = 0, faster = 0;
    for (int suite = 0; suite < suites; ++suite) {
      bool any_slower = false, any_faster = false;
      // Time runs out at any pair, or not at all, for all cases at once.
      const auto stop = static_cast<std::size_t>(1 + random.uniform() * 1.5 * plan.looks.back());
      for (int i = 0; i < cases; ++i) {
        const std::size_t count = std::min(stop, static_cast<std::size_t>(plan.looks.back()));
        const Verdict verdict =
            decide(plan, rule_of(1e-4, alpha), cases, measure(noise, 0, count, random), true)
                .verdict;
        any_slower |= verdict == Verdict::regression;
        any_faster |= verdict == Verdict::improvement;
      }
      slower += any_slower ? 1 : 0;
      faster += any_faster ? 1 : 0;
    }
    // Three standard deviations above 50 of 250.
    EXPECT_LE(slower, 69) << name << ' ' << to_string(kind);
    EXPECT_LE(faster, 69) << name << ' ' << to_string(kind);
    EXPECT_GE(slower, 12) << name << ' ' << to_string(kind);  // the test would notice a level that
                                                              // is never spent
  }
}

TEST(GateErrorRates, AtTheDefaultsNoSuiteIsAlarmed) {
  for (const Noise& noise : {Noise(compute), Noise(memory), Noise(heavy_tails), Noise(bimodal)}) {
    // One case has all of alpha.
    const Outcome outcome = measure_out(noise, 0, .03, DeviceKind::cpu, 1);
    EXPECT_LE(outcome.regression, .012);
    EXPECT_LE(outcome.improvement, .012);
  }
  // A harmless bias of half of delta in each case, such as the layout of code causes.
  EXPECT_LE(measure_out(compute, .015, .03, DeviceKind::cpu, 1).regression, .012);
  EXPECT_LE(measure_out(memory, .01, .02, DeviceKind::cpu, 1).regression, .012);
}

TEST(GateErrorRates, OfAPassAtATrueSlowDownOfDelta) {
  for (const Noise& noise : {Noise(compute), Noise(memory), Noise(bimodal)})
    EXPECT_LE(measure_out(noise, .03, .03).pass, .05 + 3 * std::sqrt(.05 * .95 / 250));
}

TEST(GateErrorRates, DoubtsOfStoredRunsAreRare) {
  struct Row {
    const char* name;
    Noise noise;
    double delta;
  };
  const Row rows[] = {{"compute", compute, .03},
                      {"memory", memory, .03},
                      {"gpu", gpu, .005},
                      {"heavy tails", heavy_tails, .03},
                      {"bimodal", bimodal, .03}};
  const int suites = 100, cases = 100;
  for (const auto& [name, noise, delta] : rows)
    for (const auto& [before, after] : {std::pair{3, 3}, {5, 5}, {2, 7}, {10, 4}}) {
      Random random(29);
      int doubted = 0;
      const auto times = [&](int count) {
        Values made;
        for (int i = 0; i < count; ++i) made.push_back(1000 * std::exp(noise(random)));
        return made;
      };
      for (int suite = 0; suite < suites; ++suite) {
        bool any = false;
        for (int i = 0; i < cases; ++i) {
          const Values baseline = times(before), candidate = times(after);
          any = any || doubt_of_unpaired(baseline, candidate, std::log1p(delta), cases);
        }
        doubted += any ? 1 : 0;
      }
      EXPECT_LE(doubted, 5) << name << ' ' << before << " and " << after << " processes";
    }
}

TEST(GateErrorRates, DoubtsOfFewPairsAreRare) {
  const std::pair<const char*, Noise> rows[] = {{"compute", compute},
                                                {"memory", memory},
                                                {"gpu", gpu},
                                                {"heavy tails", heavy_tails},
                                                {"bimodal", bimodal}};
  const int suites = 100, cases = 100;
  for (const auto& [name, noise] : rows)
    for (std::size_t count = 1; count <= 5; ++count) {
      Random random(31);
      int doubted = 0;
      for (int suite = 0; suite < suites; ++suite) {
        bool any = false;
        for (int i = 0; i < cases; ++i)
          any = any || doubt_of(differences(measure(noise, 0, count, random)), .03, cases);
        doubted += any ? 1 : 0;
      }
      EXPECT_LE(doubted, 5) << name << ", " << count << " pairs";
    }
}

// Rounds and undecided share without a change, and the power at 2, 3, 5 and 10%, for 100 cases.
struct Row {
  const char* name;
  Noise noise;
  DeviceKind kind;
  double delta, rounds_low, rounds_high, most_undecided;
  std::array<std::pair<double, double>, 4> power;
};

TEST(GatePower, LiesInItsBands) {
  const Row rows[] = {
      {"compute, delta 3%",
       compute,
       DeviceKind::cpu,
       .03,
       9,
       14,
       .01,
       {{{0, .01}, {.4, .75}, {.97, 1}, {.99, 1}}}},
      {"memory, delta 3%",
       memory,
       DeviceKind::cpu,
       .03,
       12,
       17,
       .01,
       {{{0, .02}, {.25, .5}, {.93, 1}, {.99, 1}}}},
      {"compute, delta 2%",
       compute,
       DeviceKind::cpu,
       .02,
       11,
       17,
       .02,
       {{{.25, .6}, {.9, 1}, {.97, 1}, {.99, 1}}}},
      {"memory, delta 2%",
       memory,
       DeviceKind::cpu,
       .02,
       18,
       25,
       .05,
       {{{.03, .2}, {.65, .9}, {.95, 1}, {.99, 1}}}},
      {"gpu, delta 1%",
       gpu,
       DeviceKind::cuda,
       .01,
       6,
       6.1,
       0,
       {{{.99, 1}, {.99, 1}, {.99, 1}, {.99, 1}}}},
  };
  const double effects[] = {.02, .03, .05, .10};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Outcome same = measure_out(row.noise, 0, row.delta, row.kind);
    EXPECT_EQ(same.regression, 0);
    EXPECT_GE(same.rounds, row.rounds_low);
    EXPECT_LE(same.rounds, row.rounds_high);
    EXPECT_LE(same.undecided, row.most_undecided);
    for (std::size_t i = 0; i < row.power.size(); ++i) {
      const double found = measure_out(row.noise, effects[i], row.delta, row.kind).regression;
      EXPECT_GE(found, row.power[i].first) << effects[i];
      EXPECT_LE(found, row.power[i].second) << effects[i];
    }
    EXPECT_GE(measure_out(row.noise, -.10, row.delta, row.kind).improvement, .95);
  }
}

TEST(GatePower, IsWhatThePilotPromises) {
  struct Row {
    const char* name;
    DeviceKind kind;
    Noise noise;
    double delta;
  };
  const Row rows[] = {{"compute", DeviceKind::cpu, compute, .02},
                      {"memory", DeviceKind::cpu, memory, .03},
                      {"gpu", DeviceKind::cuda, gpu, .005}};
  for (const auto& [name, kind, noise, delta] : rows) {
    Random random(9);
    const GatePlan plan = on_medians_alone(plan_for(kind));
    Values promised;
    for (int trial = 0; trial < 301; ++trial)
      promised.push_back(smallest_effect(plan, rule_of(delta), 100, measure(noise, 0, 12, random),
                                         plan.looks.back())
                             .value());
    const double found = measure_out(noise, stats::median(promised), delta, kind).regression;
    EXPECT_GE(found, .75) << name;
    EXPECT_LE(found, .98) << name;
  }
}

TEST(GatePower, OfBimodalProcessesIsPoor) {
  // A limit of the method: docs/statistics.md gives these numbers. Should they become better, that
  // page is to change.
  const Outcome same = measure_out(bimodal, 0, .03);
  EXPECT_EQ(same.regression, 0);
  EXPECT_NEAR(same.undecided, .43, .1);
  EXPECT_NEAR(same.rounds, 45, 3);
  EXPECT_LE(measure_out(bimodal, .03, .03).regression, .12);
  EXPECT_NEAR(measure_out(bimodal, .05, .03).regression, .1, .08);
  EXPECT_GE(measure_out(bimodal, .10, .03).regression, .95);
}

TEST(GateInterval, Covers) {
  for (const Noise& noise : {Noise(compute), Noise(memory), Noise(heavy_tails), Noise(gpu)}) {
    Random random(5);
    for (const std::size_t n : {8u, 18u}) {
      int covered = 0;
      const int trials = 1000;
      for (int trial = 0; trial < trials; ++trial) {
        Values ratios;
        for (std::size_t i = 0; i < n; ++i) ratios.push_back(noise(random) - noise(random));
        const stats::Interval interval = stats::signed_rank_interval(ratios);
        covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
      }
      EXPECT_GE(covered, 930) << n;
      EXPECT_LE(covered, 980) << n;
    }
  }
  // At the look that decided: unadjusted, as the gate calls it.
  for (const double slow_down : {0., .05}) {
    const double covered = measure_out(compute, slow_down, .03, DeviceKind::cpu, 100, 500).covered;
    EXPECT_GE(covered, .88) << slow_down;
    EXPECT_LE(covered, .99) << slow_down;
  }
}

}  // namespace gate_error_rates_test
}  // namespace ridgeline::analysis
