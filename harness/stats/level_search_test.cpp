#include "harness/stats/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace {

using Values = std::vector<double>;
using Points = std::vector<std::size_t>;

// Twenty nights around 0.001 with one outlier, then six around 0.05.
const Values worked{0,     .006, -.004, .011, -.008, .003, .001,  -.006, .009,
                    -.002, .004, -.010, .150, .002,  .007, -.003, 0,     .005,
                    -.007, .001, .052,  .047, .058,  .049, .044,  .055};

Values noise_of(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, .01);
  Values values(n);
  for (double& value : values) value = normal(random);
  return values;
}

// Levels that change by several standard deviations, with outliers.
Values stairs(std::uint64_t seed) {
  Values values = noise_of(120, seed);
  std::mt19937_64 random(seed + 1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += i < 30 ? 0 : i < 75 ? .06 : -.03;
    if (random() % 20 == 0) values[i] += .3;
  }
  return values;
}

TEST(LevelSearch, FindsTheStepOfTheWorkedExampleAndNotItsOutlier) {
  const SeriesNoise noise = estimate_noise(worked);
  EXPECT_NEAR(noise.sd, .006558, 5e-7);
  EXPECT_EQ(noise.phi, 0);
  const LevelSearch search(worked, noise);
  for (std::size_t n = 0; n <= 22; ++n) EXPECT_EQ(search.points(n, .01), Points{}) << n;
  for (std::size_t n = 23; n <= 26; ++n) EXPECT_EQ(search.points(n, .01), Points{20}) << n;
  EXPECT_DOUBLE_EQ(search.median_of(0, 20), .001);
  EXPECT_DOUBLE_EQ(search.median_of(20, 26), .0505);
  const auto [earliest, latest] = search.location({20}, 0, 26);
  EXPECT_EQ(earliest, 20u);
  EXPECT_EQ(latest, 20u);
}

// The least cost over all segmentations into pieces of at least three values and all candidate
// levels, by trying them.
double least_cost(const Values& values, const SeriesNoise& noise, std::size_t begin,
                  const Values& levels) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t end = begin + 3; end <= values.size(); ++end) {
    double piece = std::numeric_limits<double>::infinity();
    for (const double level : levels) {
      double cost = 0;
      for (std::size_t i = begin; i < end; ++i)
        cost += std::min(std::pow((values[i] - level) / noise.sd, 2), 9.0);
      piece = std::min(piece, cost);
    }
    if (end == values.size()) return std::min(best, piece);
    best = std::min(best, piece + 20 * inflation(noise) + least_cost(values, noise, end, levels));
  }
  return best;
}

double cost_of(const Values& values, const SeriesNoise& noise, const Points& points,
               const Values& levels) {
  double cost = 20 * inflation(noise) * static_cast<double>(points.size());
  Points bounds = points;
  bounds.push_back(values.size());
  std::size_t begin = 0;
  for (const std::size_t end : bounds) {
    double piece = std::numeric_limits<double>::infinity();
    for (const double level : levels) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i)
        sum += std::min(std::pow((values[i] - level) / noise.sd, 2), 9.0);
      piece = std::min(piece, sum);
    }
    cost += piece;
    begin = end;
  }
  return cost;
}

TEST(LevelSearch, CostsNoMoreThanAnyOtherSegmentation) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 1);
  for (const double phi : {0., .3}) {
    for (int trial = 0; trial < 40; ++trial) {
      Values values(14);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::round(5 * (normal(random) + (i < 5    ? 0
                                                      : i < 10 ? 4
                                                               : trial % 3))) /
                    5;  // on the grid of levels
      const SeriesNoise noise{1, phi};
      Values levels = values;  // medians of three of them are among them
      for (std::size_t i = 4; i < values.size(); ++i)
        levels.push_back(
            std::round(values[i] + values[i - 1] + values[i - 2] + values[i - 3] + values[i - 4]) /
            5);
      const Points found = LevelSearch(values, noise).points(values.size(), 0);
      // The grid starts at the median, between two of these levels when the count is even: up to a
      // tenth off.
      EXPECT_NEAR(cost_of(values, noise, found, levels), least_cost(values, noise, 0, levels), .3)
          << trial;
    }
  }
}

TEST(LevelSearch, DoesNotDependOnUnitOrOrigin) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Values values = stairs(seed);
    const SeriesNoise noise = estimate_noise(values);
    const Points points = LevelSearch(values, noise).points(values.size(), .01);
    EXPECT_FALSE(points.empty());
    for (const auto& [factor, shift] : {std::pair(1., 12.5), {64., 0.}, {1. / 4, -3.}, {-1., 0.}}) {
      Values other;
      for (const double value : values) other.push_back(factor * value + shift);
      const SeriesNoise others = estimate_noise(other);
      EXPECT_NEAR(others.sd, std::abs(factor) * noise.sd, 1e-9);
      EXPECT_NEAR(others.phi, noise.phi, 1e-9);
      EXPECT_EQ(LevelSearch(other, others).points(other.size(), std::abs(factor) * .01), points)
          << seed;
    }
  }
}

TEST(LevelSearch, FindsTheSamePointsBackwards) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Values values = stairs(seed);
    const SeriesNoise noise = estimate_noise(values);
    const Points points = LevelSearch(values, noise).points(values.size(), .01);
    std::ranges::reverse(values);
    const SeriesNoise backwards = estimate_noise(values);
    EXPECT_NEAR(backwards.sd, noise.sd, .2 * noise.sd);
    Points mirrored;
    for (const std::size_t point : LevelSearch(values, noise).points(values.size(), .01))
      mirrored.insert(mirrored.begin(), values.size() - point);
    // Where an outlier stands beside a step, it belongs to either side at the same cost.
    ASSERT_EQ(mirrored.size(), points.size()) << seed;
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_LE(std::max(mirrored[i], points[i]) - std::min(mirrored[i], points[i]), 2u) << seed;
  }
}

TEST(LevelSearch, AnalysesEveryBeginningAsIfItWereAll) {
  const Values values = stairs(3);
  const SeriesNoise noise = estimate_noise(values);
  const LevelSearch all(values, noise);
  for (const std::size_t n : {6u, 31u, 34u, 40u, 77u, 100u, 120u}) {
    const LevelSearch beginning{std::span(values).first(n), noise};
    EXPECT_EQ(all.points(n, .01), beginning.points(n, .01)) << n;
  }
}

TEST(LevelSearch, MergesStepsThatDoNotMatter) {
  Values values = noise_of(90, 8);
  for (double& value : values) value /= 20;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i < 30 ? 0 : i < 60 ? .006 : .030;
  const LevelSearch search(values, estimate_noise(values));
  EXPECT_EQ(search.points(90, 0), (Points{30, 60}));
  EXPECT_EQ(search.points(90, .005), (Points{30, 60}));
  EXPECT_EQ(search.points(90, .01), Points{60});
  EXPECT_EQ(search.points(90, .1), Points{});
}

TEST(LevelSearch, LocatesAStepMoreWidelyTheSmallerItIs) {
  std::size_t wide = 0, narrow = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double step : {.02, .1}) {
      Values values = noise_of(160, seed);
      for (std::size_t i = 80; i < values.size(); ++i) values[i] += step;
      const LevelSearch search(values, {.01, 0});
      const Points points = search.points(160, .01);
      ASSERT_EQ(points.size(), 1u);
      const auto [earliest, latest] = search.location(points, 0, 160);
      EXPECT_LE(earliest, points[0]);
      EXPECT_GE(latest, points[0]);
      (step < .05 ? wide : narrow) += latest - earliest;
    }
  }
  EXPECT_LE(narrow, 4u);
  EXPECT_GT(wide, 20u);
}

TEST(LevelSearch, OfFewOrEqualValuesFindsNothing) {
  for (std::size_t n = 0; n < 6; ++n)
    EXPECT_EQ(LevelSearch(Values(n, 1), {.01, 0}).points(n, 0), Points{});
  const Values same(50, 3.25);
  const SeriesNoise noise = estimate_noise(same);
  EXPECT_GT(noise.sd, 0);
  EXPECT_EQ(LevelSearch(same, noise).points(50, 0), Points{});
}

TEST(LevelSearch, RefusesWhatIsNoSeries) {
  EXPECT_THROW(LevelSearch(Values{1, std::numeric_limits<double>::quiet_NaN()}, {1, 0}), Error);
  EXPECT_THROW(LevelSearch(Values{1, std::numeric_limits<double>::infinity()}, {1, 0}), Error);
  EXPECT_THROW(LevelSearch(Values{1, 2}, {0, 0}), Error);
  EXPECT_THROW(LevelSearch(Values{1, 2}, {1, 1}), Error);
  EXPECT_THROW(estimate_noise(Values{1}), Error);
  EXPECT_THROW(LevelSearch(Values{1, 2}, {1, 0}).points(3, 0), Error);
}

TEST(SeriesNoise, IsThatOfTheSeries) {
  for (const double phi : {0., .3, .6}) {
    double sd = 0, found = 0;
    constexpr int series = 40;
    for (int seed = 0; seed < series; ++seed) {
      Values values = noise_of(400, static_cast<std::uint64_t>(seed));
      for (std::size_t i = 1; i < values.size(); ++i)
        values[i] = phi * values[i - 1] + std::sqrt(1 - phi * phi) * values[i];
      for (std::size_t i = 200; i < values.size(); ++i) values[i] += .2;  // a step is no noise
      const SeriesNoise noise = estimate_noise(values);
      sd += noise.sd / series;
      found += noise.phi / series;
    }
    EXPECT_NEAR(sd, .01, .0005) << phi;
    EXPECT_NEAR(found, phi + 1 / std::sqrt(400.), .05) << phi;  // on the safe side by a standard
                                                                // error
  }
}

}  // namespace
}  // namespace ridgeline::stats
