#include "harness/stats/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace {

using Values = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// The definition, word for word, in the plainest code: every one of the 2^n patterns of signs is counted.
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
    for (std::size_t j = i; j < differences.size(); ++j) means.push_back((differences[i] + differences[j]) / 2);
  std::sort(means.begin(), means.end());
  means.erase(std::unique(means.begin(), means.end()), means.end());
  return means;
}

// The test between all neighbouring Walsh means, in order.
std::vector<Literal> literal_gaps(const Values& differences, const Values& means) {
  std::vector<Literal> gaps{literally(differences, means.front() - 1)};
  for (std::size_t k = 1; k < means.size(); ++k) gaps.push_back(literally(differences, (means[k - 1] + means[k]) / 2));
  gaps.push_back(literally(differences, means.back() + 1));
  return gaps;
}

double literal_estimate(const std::vector<Literal>& gaps, const Values& means) {
  const auto first = [&](auto holds) {
    const auto found = std::find_if(gaps.begin(), gaps.end(), [&](const Literal& gap) { return holds(gap.balance); });
    return means[static_cast<std::size_t>(found - gaps.begin()) - 1];
  };
  return (first([](double g) { return g <= 0; }) + first([](double g) { return g < 0; })) / 2;
}

Interval literal_interval(const std::vector<Literal>& gaps, const Values& means, double confidence) {
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
    const SignedRank found = signed_rank(differences, theta), expected = literally(differences, theta).p;
    EXPECT_EQ(found.up, expected.up) << theta;
    EXPECT_EQ(found.down, expected.down) << theta;
  }
}

TEST(SignedRank, IsTheDefinitionForEverySampleOfSmallWholeNumbers) {
  // Whole numbers tie in all ways there are. Ascending samples are enough: the order does not count (tested below).
  const auto all = [](auto&& self, Values& values, std::size_t n, double least, double most) -> void {
    if (values.size() == n) return expect_literal(values);
    for (double next = least; next <= most; ++next) {
      values.push_back(next);
      self(self, values, n, next, most);
      values.pop_back();
    }
  };
  Values values;
  for (std::size_t n = 1; n <= 4; ++n) all(all, values, n, -4, 5);
  for (std::size_t n = 5; n <= 7; ++n) all(all, values, n, -1, 2);
}

TEST(SignedRank, IsTheDefinitionForRandomSamples) {
  std::mt19937 random(20240601);
  for (int trial = 0; trial < 60; ++trial) {
    // Multiples of a power of two, so that the plain definition does not round either; many or few ties.
    const int most = trial % 3 == 0 ? 3 : 4000;
    Values values(static_cast<std::size_t>(2 + trial % 9));
    for (double& value : values)
      value = std::ldexp(static_cast<double>(static_cast<int>(random() % 2000001) % most), -12);
    expect_literal(values);
  }
}

TEST(SignedRank, WorkedByHand) {
  // Distances .01 four times after the zero is dropped (midrank 2.5), .02 twice (5.5, capped at 4), .03 (7, capped).
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

}  // namespace
}  // namespace ridgeline::stats
