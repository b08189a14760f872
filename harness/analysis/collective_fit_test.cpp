#include "harness/analysis/collective_fit.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace collective_fit_test {

/// Sizes from 1 KiB on, each `step` times the one before.
std::vector<SizedTime> measured(int sizes, double step, double (*ns)(double bytes)) {
  std::vector<SizedTime> points;
  for (double bytes = 1024; std::ssize(points) < sizes; bytes *= step)
    points.push_back({bytes, ns(bytes)});
  return points;
}

double one_line(double bytes) { return 5e3 + bytes / 100; }  // 5 us, 100 GB/s
/// A protocol of 5 us and 20 GB/s, and from 256 KiB on one of 20 us and 200 GB/s.
double two_protocols(double bytes) {
  return bytes < 262144 ? 5e3 + bytes / 20 : 20e3 + bytes / 200;
}

TEST(CollectiveFit, OfOneLineFindsItsNumbers) {
  const CollectiveFit fit = fit_collective(measured(18, 2, one_line));
  ASSERT_EQ(fit.pieces.size(), 1u);
  EXPECT_NEAR(fit.pieces[0].fixed_ns, 5e3, 1);
  EXPECT_NEAR(fit.rate().value(), 1e11, 1e6);
  EXPECT_NEAR(fit.half_rate_bytes().value(), 5e5, 5e2) << "its bytes take 5 us";
  EXPECT_NEAR(fit.latency_ns(), one_line(1024), 1);
  EXPECT_LT(fit.residual, 1e-9);
  EXPECT_NEAR(fit.at(3e9), one_line(3e9), 1e3) << "beyond what was measured";
}

TEST(CollectiveFit, BreaksWhereTheProtocolChanges) {
  const CollectiveFit fit = fit_collective(measured(18, 2, two_protocols));
  ASSERT_EQ(fit.pieces.size(), 2u);
  EXPECT_EQ(fit.pieces[0].to, 131072);
  EXPECT_EQ(fit.pieces[1].from, 262144);
  EXPECT_NEAR(fit.pieces[1].fixed_ns, 20e3, 10);
  EXPECT_NEAR(fit.rate().value(), 2e11, 1e8);
  EXPECT_NEAR(fit.half_rate_bytes().value(), 4e6, 1e4);
}

TEST(CollectiveFit, GoesThroughItsPiecesWithoutALeap) {
  const CollectiveFit fit = fit_collective(measured(18, 2, two_protocols));
  for (double bytes = 1024; bytes < 1e8; bytes *= 1.001) {
    const double step = fit.at(bytes * 1.001) / fit.at(bytes);
    ASSERT_GT(step, 0.99) << bytes;
    ASSERT_LT(step, 1.01) << bytes;
  }
}

TEST(CollectiveFit, OfTimesInAnotherUnitIsTheSameOne) {
  std::vector<SizedTime> points = measured(18, 2, two_protocols);
  const CollectiveFit before = fit_collective(points);
  for (SizedTime& point : points) point.ns *= 1000;
  const CollectiveFit after = fit_collective(points);
  ASSERT_EQ(after.pieces.size(), before.pieces.size());
  for (double bytes = 100; bytes < 1e10; bytes *= 3)
    EXPECT_NEAR(after.at(bytes) / before.at(bytes), 1000, 1e-6);
}

/// Random protocols with noise of 1%: what holds for all of them.
class AnyCurve : public testing::TestWithParam<unsigned> {
 protected:
  AnyCurve() {
    std::mt19937 random(GetParam());
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
    };
    const int protocols = 1 + static_cast<int>(GetParam() % 3);
    double fixed = between(1e3, 1e5), rate = between(0.1, 10), until = 1024;  // rate in B/ns
    std::normal_distribution<> noise(0, 0.01);
    for (int protocol = 0; protocol < protocols; ++protocol) {
      const int sizes = 6 + static_cast<int>(GetParam() % 4);
      for (int i = 0; i < sizes; ++i, until *= 2)
        points_.push_back({until, (fixed + until / rate) * std::exp(noise(random))});
      fixed = (fixed + until / rate) * between(0.3, 0.7);
      rate *= between(1.5, 4);
    }
  }
  std::vector<SizedTime> points_;
};
INSTANTIATE_TEST_SUITE_P(CollectiveFit, AnyCurve, testing::Range(0u, 60u));

TEST_P(AnyCurve, IsFittedWithinItsNoise) {
  const CollectiveFit fit = fit_collective(points_);
  EXPECT_LT(fit.residual, 0.03);
  EXPECT_LE(fit.pieces.size(), 5u);
  for (const auto& [bytes, ns] : points_) EXPECT_NEAR(fit.at(bytes) / ns, 1, 0.1) << bytes;
  for (const FitPiece& piece : fit.pieces) {
    EXPECT_GE(piece.fixed_ns, 0);
    EXPECT_GE(piece.ns_per_byte, 0);
  }
  for (double bytes = 1; bytes < 1e12; bytes *= 1.7) EXPECT_GT(fit.at(bytes), 0);
}

TEST_P(AnyCurve, HasHalfOfItsRateWhereItSays) {
  const CollectiveFit fit = fit_collective(points_);
  const auto half = fit.half_rate_bytes();
  if (!half) return;
  const auto share = [&](double bytes) { return 1e9 * bytes / fit.at(bytes) / *fit.rate(); };
  EXPECT_GE(share(*half * 1.0001), 0.499);
  EXPECT_LE(share(*half * 0.999), 0.501);
  for (double bytes = *half * 1.001; bytes < 1e12; bytes *= 1.3) EXPECT_GE(share(bytes), 0.4999);
}

TEST(LeftOutSizes, OfWhatIsALineAreKnown) {
  const auto line = measured(18, 2, one_line);
  const LeftOutSizes found = leave_sizes_out(line).value();
  EXPECT_EQ(found.sizes, 8) << "all but every other one and the last";
  EXPECT_LT(found.largest_error, 1e-6);
  EXPECT_FALSE(leave_sizes_out(std::span(line).first(4)));
}

TEST(LeftOutSizes, TellWhereTheModelIsWrong) {
  auto points = measured(18, 2, one_line);
  points[7].ns *= 1.5;  // not fitted
  const LeftOutSizes found = leave_sizes_out(points).value();
  EXPECT_EQ(found.at_bytes, points[7].bytes);
  EXPECT_NEAR(found.largest_error, 1.0 / 3, 1e-6);
}

TEST(FitCollective, RefusesWhatIsNoCurve) {
  EXPECT_THROW(fit_collective(std::vector<SizedTime>{{1, 1}}), Error);
  EXPECT_THROW(fit_collective(std::vector<SizedTime>{{2, 1}, {1, 1}}), Error);
  EXPECT_THROW(fit_collective(std::vector<SizedTime>{{1, 1}, {2, 0}}), Error);
  EXPECT_THROW(fit_collective(std::vector<SizedTime>{{1, 1}, {2, std::nan("")}}), Error);
}

// A model of 7 billion parameters: its 28 GB of f32 gradients.
TEST(Gradients, OfTheWorkedExamples) {
  const Gradients gradients{4 * 7e9, 25 << 20, 8};
  EXPECT_NEAR(one_way_ns(gradients, 32e9), 875e6, 0.5e6);
  EXPECT_NEAR(one_way_ns(gradients, 300e9), 93e6, 0.5e6);
  EXPECT_NEAR(ring_ns(gradients, 32e9), 1531e6, 0.5e6);
  EXPECT_NEAR(ring_ns(gradients, 300e9), 163e6, 0.5e6);
  EXPECT_EQ(ring_ns({28e9, 1e6, 1}, 32e9), 0) << "one rank does not communicate";
}

TEST(Gradients, TakeOneTimeABucketAndTheRest) {
  const CollectiveFit curve = fit_collective(measured(18, 2, one_line));
  const ByCurve found = by_curve({10.5e6, 2e6, 8}, curve, 2);
  EXPECT_EQ(found.buckets, 5);
  EXPECT_EQ(found.rest_bytes, 0.5e6);
  EXPECT_NEAR(found.ns, 2 * (5 * one_line(2e6) + one_line(0.5e6)), 100);
  EXPECT_FALSE(found.extrapolated);
  EXPECT_TRUE(by_curve({4e9, 4e9, 8}, curve, 1).extrapolated);
  EXPECT_EQ(by_curve({1e6, 4e6, 8}, curve, 1).buckets, 0) << "all in one, not full";
}

}  // namespace collective_fit_test
}  // namespace ridgeline::analysis
