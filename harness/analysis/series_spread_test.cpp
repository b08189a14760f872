#include "harness/analysis/series_spread.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace series_spread_test {

NightlyTimes following(double phi, double sd, double step) {
  NightlyTimes times{"e1", {}, {}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  double last = normal(random);
  for (std::uint32_t night = 0; night < 400; ++night) {
    times.nights.push_back(night);
    times.median_ns.push_back(1000 * std::exp(sd * last + (night < 200 ? 0 : step)));
    last = phi * last + std::sqrt(1 - phi * phi) * normal(random);
  }
  return times;
}

TEST(SeriesSpread, IsThatOfNeighboursWhateverStepsThereAre) {
  for (const double step : {0.0, 0.7}) {
    const auto white = spread_of(following(0, .01, step)).value();
    EXPECT_NEAR(white.spread, .01, .0015) << step;
    EXPECT_LT(white.phi, .25) << step;
    const auto red = spread_of(following(.9, .01, step)).value();
    EXPECT_NEAR(red.spread, .01 * std::sqrt(.1), .0008) << step;
    EXPECT_GT(red.phi, .7) << step;
  }
}

TEST(SeriesSpread, TakesEightNights) {
  NightlyTimes times{"e1", {}, {}};
  for (std::uint32_t night = 0; night < 7; ++night) times.median_ns.push_back(1000);
  EXPECT_FALSE(spread_of(times));
  times.median_ns.push_back(1000);
  EXPECT_NEAR(spread_of(times)->spread, 0, 1e-9) << "all the same";
}

}  // namespace series_spread_test
}  // namespace ridgeline::analysis
