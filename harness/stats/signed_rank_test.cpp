#include "harness/stats/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::stats {
namespace signed_rank_test {

using Values = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// The definition, word for word, in the plainest code: every one of the 2^n patterns of signs is
// counted.
struct Literal {
  SignedRank p;
  double balance = 0;  // score sum above theta minus that below
};

Literal literally(const Values& differences, double theta) {
  Values distances;
  std::vector<bool> above;
  for (const double difference : differences) {
    if (difference == theta) continue;
    distances.push_back(std::abs(difference - theta));
    above.push_back(difference > theta);
  }
  const auto n = distances.size();
  Values scores;
  for (const double distance : distances) {
    double closer = 0, as_close = 0;
    for (const double other : distances) {
      closer += other < distance ? 1 : 0;
      as_close += other == distance ? 1 : 0;
    }
    scores.push_back(std::min(closer + (as_close + 1) / 2, std::ceil(static_cast<double>(n) / 2)));
  }
  const auto sum = [&](std::uint32_t signs) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += (signs >> i & 1u) != 0 ? scores[i] : 0;
    return total;
  };
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < n; ++i) seen |= above[i] ? 1u << i : 0;
  const double observed = sum(seen);
  double at_least = 0, at_most = 0;
  for (std::uint32_t signs = 0; signs < 1u << n; ++signs) {
    at_least += sum(signs) >= observed ? 1 : 0;
    at_most += sum(signs) <= observed ? 1 : 0;
  }
  const double patterns = std::ldexp(1.0, static_cast<int>(n));
  return {{at_least / patterns, at_most / patterns}, 2 * observed - sum((1u << n) - 1)};
}

Values walsh_means(const Values& differences) {
  Values means;
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i; j < differences.size(); ++j)
      means.push_back((differences[i] + differences[j]) / 2);
  std::sort(means.begin(), means.end());
  means.erase(std::unique(means.begin(), means.end()), means.end());
  return means;
}

// The test between all neighbouring Walsh means, in order.
std::vector<Literal> literal_gaps(const Values& differences, const Values& means) {
  std::vector<Literal> gaps{literally(differences, means.front() - 1)};
  for (std::size_t k = 1; k < means.size(); ++k)
    gaps.push_back(literally(differences, (means[k - 1] + means[k]) / 2));
  gaps.push_back(literally(differences, means.back() + 1));
  return gaps;
}

double literal_estimate(const std::vector<Literal>& gaps, const Values& means) {
  const auto first = [&](auto holds) {
    const auto found = std::find_if(gaps.begin(), gaps.end(),
                                    [&](const Literal& gap) { return holds(gap.balance); });
    return means[static_cast<std::size_t>(found - gaps.begin()) - 1];
  };
  return (first([](double g) { return g <= 0; }) + first([](double g) { return g < 0; })) / 2;
}

Interval literal_interval(const std::vector<Literal>& gaps, const Values& means,
                          double confidence) {
  Interval interval{-infinity, infinity};
  const double each = (1 - confidence) / 2;
  std::size_t first = 0;
  while (!(gaps[first].p.up > each)) ++first;
  if (first > 0) interval.low = means[first - 1];
  std::size_t last = gaps.size() - 1;
  while (!(gaps[last].p.down > each)) --last;
  if (last + 1 < gaps.size()) interval.high = means[last];
  return interval;
}

void expect_literal(const Values& differences) {
  SCOPED_TRACE(testing::PrintToString(differences));
  const Values means = walsh_means(differences);
  const std::vector<Literal> gaps = literal_gaps(differences, means);
  EXPECT_EQ(signed_rank_estimate(differences), literal_estimate(gaps, means));
  for (const double confidence : {0.5, 0.8, 0.95, 0.99}) {
    const Interval expected = literal_interval(gaps, means, confidence);
    const Interval found = signed_rank_interval(differences, confidence);
    EXPECT_EQ(found.low, expected.low) << confidence;
    EXPECT_EQ(found.high, expected.high) << confidence;
  }
  // What the search stands on, over every gap: p values and the balance move one way.
  for (std::size_t k = 1; k < gaps.size(); ++k) {
    EXPECT_GE(gaps[k].p.up, gaps[k - 1].p.up) << k;
    EXPECT_LE(gaps[k].p.down, gaps[k - 1].p.down) << k;
    EXPECT_LE(gaps[k].balance, gaps[k - 1].balance) << k;
  }
  for (const double theta : means) {
    const SignedRank found = signed_rank(differences, theta),
                     expected = literally(differences, theta).p;
    EXPECT_EQ(found.up, expected.up) << theta;
    EXPECT_EQ(found.down, expected.down) << theta;
  }
}

TEST(SignedRank, IsTheDefinitionForEverySampleOfSmallWholeNumbers) {
  // Whole numbers tie in all ways there are. Ascending samples are enough: the order does not count
  // (tested below).
  const auto all = [](auto&& self, Values& values, std::size_t n, double least,
                      double most) -> void {
    if (values.size() == n) return expect_literal(values);
    for (double next = least; next <= most; ++next) {
      values.push_back(next);
      self(self, values, n, next, most);
      values.pop_back();
    }
  };
  Values values;
  for (std::size_t n = 1; n <= 5; ++n) all(all, values, n, -4, 4);
  for (std::size_t n = 6; n <= 8; ++n) all(all, values, n, -2, 1);
}

TEST(SignedRank, IsTheDefinitionForRandomSamples) {
  std::mt19937 random(20240601);
  for (int trial = 0; trial < 100; ++trial) {
    // Multiples of a power of two, so that the plain definition does not round either; with few
    // ties and with many.
    const int most = trial % 3 == 0 ? 3 : 4000;
    Values values(static_cast<std::size_t>(2 + trial % 9));
    for (double& value : values)
      value = std::ldexp(static_cast<int>(random() % (2u * most + 1)) - most, -12);
    expect_literal(values);
  }
}

TEST(SignedRank, WorkedByHand) {
  // Distances .01 four times after the zero is dropped (midrank 2.5), .02 twice (5.5, capped at 4),
  // .03 (7, capped).
  const SignedRank p = signed_rank(Values{.01, .01, -.01, .02, 0, .03, -.02, .01}, 0);
  EXPECT_EQ(p.up, .203125);
  EXPECT_EQ(p.down, .890625);

  const Values twelve{.012, -.004, .009, .031, .006, -.011, .015, .002, .007, .018, -.002, .010};
  EXPECT_NEAR(signed_rank_estimate(twelve), .008, 1e-15);
  EXPECT_NEAR(signed_rank_interval(twelve).low, .001, 1e-15);
  EXPECT_NEAR(signed_rank_interval(twelve).high, .0135, 1e-15);
  EXPECT_NEAR(signed_rank_interval(twelve, .8).low, .0025, 1e-15);
  EXPECT_NEAR(signed_rank_interval(twelve, .8).high, .012, 1e-15);
}

TEST(SignedRank, AgreesWithSciPy) {
  // SciPy 1.17.1: all signs of min(rankdata(|r|), ceil(n / 2)) summed over r > 0, where r is
  // rounded to 12 places.
  struct Row {
    double theta, up, down;
  };
  const Values few_ties{.012, -.004, .009, .031, .006, -.011, .015, .002, .007, .018, -.002, .010};
  for (const Row& row :
       {Row{0, .02001953125, .98388671875}, Row{.02, .997802734375, .002685546875}}) {
    EXPECT_EQ(signed_rank(few_ties, row.theta).up, row.up);
    EXPECT_EQ(signed_rank(few_ties, row.theta).down, row.down);
  }
  const Values many_ties{3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  for (const Row& row :
       {Row{0, .0009765625, 1}, Row{2, .03125, .990234375}, Row{3, .28515625, .83203125},
        Row{3.5, .4658203125, .63671875}, Row{4, .724609375, .421875}}) {
    EXPECT_EQ(signed_rank(many_ties, row.theta).up, row.up) << row.theta;
    EXPECT_EQ(signed_rank(many_ties, row.theta).down, row.down) << row.theta;
  }
}

TEST(SignedRank, IsTheSignTestWhenAllAreEquallyFar) {
  // 8 of 10 above: (45 + 10 + 1) / 1024, whatever the cap.
  const SignedRank p = signed_rank(Values{1, 1, 1, -1, 1, 1, 1, -1, 1, 1}, 0);
  EXPECT_EQ(p.up, 56. / 1024);
  EXPECT_EQ(p.down, 1013. / 1024);
}

TEST(SignedRank, ABurstWeighsNoMoreThanTheCap) {
  Values values{1, 2, 3, 4, 5, 6, 7, -8};
  const double up = signed_rank(values, 0).up;
  values.back() = -1e6;
  EXPECT_EQ(signed_rank(values, 0).up, up);
  EXPECT_LT(signed_rank_estimate(values), 4.5);
  EXPECT_GT(signed_rank_estimate(values), 2.5);
}

TEST(SignedRank, HasNoPreferenceForOrderSignOrUnit) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(.01, .02);
  for (const std::size_t n : {2u, 7u, 18u, 60u}) {
    Values values(n), mirrored(n), scaled(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = normal(random);
      mirrored[n - 1 - i] = -values[i];
      scaled[i] = values[i] * 1024;
    }
    const SignedRank p = signed_rank(values, .005), mirror = signed_rank(mirrored, -.005);
    EXPECT_EQ(p.up, mirror.down);
    EXPECT_EQ(p.down, mirror.up);
    EXPECT_EQ(signed_rank(scaled, 5.12).up, p.up);
    EXPECT_EQ(signed_rank_estimate(mirrored), -signed_rank_estimate(values));
    EXPECT_EQ(signed_rank_estimate(scaled), signed_rank_estimate(values) * 1024);
    const Interval interval = signed_rank_interval(values), turned = signed_rank_interval(mirrored);
    EXPECT_EQ(turned.low, -interval.high);
    EXPECT_EQ(turned.high, -interval.low);
    EXPECT_EQ(signed_rank_interval(scaled).low, interval.low * 1024);
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(signed_rank(values, .005).up, p.up);
    EXPECT_EQ(signed_rank_interval(values).low, interval.low);
  }
}

TEST(SignedRank, OfOneOrOfEqualValues) {
  EXPECT_EQ(signed_rank(Values{2}, 0).up, .5);
  EXPECT_EQ(signed_rank(Values{2}, 0).down, 1);
  EXPECT_EQ(signed_rank_estimate(Values{2}), 2);
  EXPECT_EQ(signed_rank_interval(Values{2}).low, -infinity);
  EXPECT_EQ(signed_rank_interval(Values{2}).high, infinity);

  const Values equal(6, .25);
  EXPECT_EQ(signed_rank(equal, .25).up, 1);
  EXPECT_EQ(signed_rank(equal, .25).down, 1);
  EXPECT_EQ(signed_rank(equal, .2).up, 1. / 64);
  EXPECT_EQ(signed_rank_estimate(equal), .25);
  EXPECT_EQ(signed_rank_interval(equal).low, .25);
  EXPECT_EQ(signed_rank_interval(equal).high, .25);
  // Five are too few for 95%: 1/32 is above 0.025.
  EXPECT_EQ(signed_rank_interval(Values(5, .25)).low, -infinity);
  EXPECT_EQ(signed_rank(Values{}, 0).up, 1);
}

TEST(SignedRank, IsNotRoundedByHugeNeighbours) {
  // Nothing of 1, 2 and 3 is left in a sum with 1e300, and yet they are not tied.
  const Values mixed{1, 2, 3, 1e300}, small{1, 2, 3, 100};
  EXPECT_EQ(signed_rank_estimate(mixed), signed_rank_estimate(small));
  for (const double confidence : {.5, .7, .8})
    EXPECT_EQ(signed_rank_interval(mixed, confidence).low,
              signed_rank_interval(small, confidence).low);
  const Values balanced{-1e300, -1, 2, 1e300};
  EXPECT_EQ(signed_rank(balanced, 0).up, literally(balanced, 0).p.up);
  const Values tiny{5e-324, 1e-323, 1.5e-323, 2e-323, 2.5e-323, 3e-323};
  EXPECT_EQ(signed_rank(tiny, 0).up, 1) << "all are equal to theta";
  EXPECT_EQ(signed_rank_interval(tiny).low, 5e-324);
}

TEST(SignedRank, DoesNotHangOnTheLastBitOfALogarithm) {
  for (const auto& [before, after] : {std::pair{100., 103.}, {200., 206.}, {7., 7.21}}) {
    const SignedRank p = signed_rank(Values(6, std::log(after / before)), std::log1p(.03));
    EXPECT_EQ(p.up, 1) << before;
    EXPECT_EQ(p.down, 1) << before;
  }
  // .031 lies as far above .02 as .009 lies below it, whatever their doubles say.
  EXPECT_EQ(signed_rank(Values{.031, .009}, .02).up, .75);
}

TEST(SignedRank, InfiniteDifferencesAreTheFarthest) {
  const Values kept{.0003, -.0005, .0008, -.0002, .0001, .0006, -.0004, .0002};
  Values with_one_drop = kept;
  with_one_drop.push_back(infinity);
  EXPECT_EQ(signed_rank(kept, .005).down, 1. / 256);
  EXPECT_EQ(signed_rank(with_one_drop, .005).down, .02734375);
  EXPECT_EQ(signed_rank(Values{infinity, infinity, -infinity}, 0).up, .5);
}

TEST(SignedRank, RefusesWhatItCannotRank) {
  for (const double bad : {nan, infinity, -infinity, std::numeric_limits<double>::max()}) {
    EXPECT_THROW(signed_rank(Values{1, 2}, bad), Error) << bad;
    EXPECT_THROW(signed_rank_estimate(Values{bad, 1}), Error) << bad;
    EXPECT_THROW(signed_rank_interval(Values{1, bad}), Error) << bad;
  }
  EXPECT_THROW(signed_rank(Values{1, nan, 2}, 0), Error);
  EXPECT_THROW(signed_rank_estimate({}), Error);
  EXPECT_THROW(signed_rank_interval({}), Error);
  for (const double confidence : {0., 1., -1., nan})
    EXPECT_THROW(signed_rank_interval(Values{1, 2}, confidence), Error);
}

TEST(SignedRank, IntervalCoversTheCentre) {
  // Exactly: of all 2^n patterns of signs around the centre, those whose interval holds it.
  const Values distances{.5, 1.25, 2, 2.125, 3.5, 4, 7, 20, 21, 300};
  const std::vector<std::int64_t> scores{1, 2, 3, 4, 5, 5, 5, 5, 5, 5};
  for (const double confidence : {.8, .95}) {
    int covered = 0;
    for (unsigned signs = 0; signs < 1u << distances.size(); ++signs) {
      Values values;
      for (std::size_t i = 0; i < distances.size(); ++i)
        values.push_back((signs >> i & 1u) != 0 ? distances[i] : -distances[i]);
      const Interval interval = signed_rank_interval(values, confidence);
      covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
    }
    const double share = covered / std::ldexp(1., static_cast<int>(distances.size()));
    // The most that the capped scores 1, 2, 3, 4, 5, 5, ... allow to reject on each side.
    double rejected = 0;
    for (std::int64_t limit = 0; coin_sum_at_most(scores, limit) <= (1 - confidence) / 2; ++limit)
      rejected = coin_sum_at_most(scores, limit);
    EXPECT_EQ(share, 1 - 2 * rejected);
    EXPECT_GE(share, confidence);
  }
}

}  // namespace signed_rank_test
}  // namespace ridgeline::stats
