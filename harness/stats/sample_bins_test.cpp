#include "harness/stats/sample_bins.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace sample_bins_test {

using Groups = std::vector<std::vector<double>>;

std::size_t counted(const BinnedSamples& group) {
  return std::accumulate(group.counts.begin(), group.counts.end(), group.below + group.above);
}

TEST(SampleBins, AreEqualInTheLogarithm) {
  // From 1 to 2^48, so that each bin is a factor of 2.
  std::vector<double> powers(1000, 1.0), highest(1000, std::ldexp(1.0, 48));
  powers.insert(powers.end(), highest.begin(), highest.end());
  for (int i = 0; i < 48; ++i) powers.push_back(1.5 * std::ldexp(1.0, i));
  const SharedBins bins = in_shared_bins(Groups{powers});
  EXPECT_EQ(bins.low, 1);
  EXPECT_EQ(bins.high, std::ldexp(1.0, 48));
  const BinnedSamples& only = bins.groups.at(0);
  EXPECT_EQ(only.counts.front(), 1001u);
  for (std::size_t i = 1; i + 1 < sample_bins; ++i) EXPECT_EQ(only.counts[i], 1u) << i;
  EXPECT_EQ(only.counts.back(), 1001u) << "the upper end lies in the last bin";
  EXPECT_EQ(only.below + only.above, 0u);
}

TEST(SampleBins, ShowTwoModesInEachGroupWithTheSameBounds) {
  std::vector<double> fast(100, 1000.0), both(50, 1000.0);
  both.resize(100, 2000.0);
  const SharedBins bins = in_shared_bins(Groups{fast, both});
  EXPECT_EQ(bins.low, 1000);
  EXPECT_EQ(bins.high, 2000);
  ASSERT_EQ(bins.groups.size(), 2u);
  EXPECT_EQ(bins.groups[0].counts.front(), 100u);
  EXPECT_EQ(bins.groups[1].counts.front(), 50u);
  EXPECT_EQ(bins.groups[1].counts.back(), 50u);
  EXPECT_EQ(bins.groups[1].p10, 1000);
  EXPECT_EQ(bins.groups[1].p50, 1500);
  EXPECT_EQ(bins.groups[1].p90, 2000);
}

TEST(SampleBins, CountWhatLiesBeyondThem) {
  std::vector<double> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back(1000 + i);
  samples.front() = 1;
  samples.back() = 1e9;
  const SharedBins bins = in_shared_bins(Groups{samples});
  EXPECT_EQ(bins.low, quantile(samples, 0.005));
  EXPECT_EQ(bins.high, quantile(samples, 0.995));
  const BinnedSamples& only = bins.groups.at(0);
  EXPECT_EQ(only.below, 5u);
  EXPECT_EQ(only.above, 5u);
  EXPECT_EQ(counted(only), only.count);
}

TEST(SampleBins, HaveAWidthWhereAllSamplesAreTheSame) {
  const SharedBins bins = in_shared_bins(Groups{{500}, {500, 500}});
  EXPECT_LT(bins.low, 500);
  EXPECT_GT(bins.high, 500);
  for (const BinnedSamples& group : bins.groups) {
    EXPECT_EQ(group.below + group.above, 0u);
    EXPECT_EQ(counted(group), group.count);
    EXPECT_EQ(group.p50, 500);
  }
}

TEST(SampleBins, AreOfPositiveFiniteSamplesAlone) {
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(in_shared_bins(Groups{{1, wrong}}), Error) << wrong;
  EXPECT_THROW(in_shared_bins(Groups{{1}, {}}), Error);
  EXPECT_THROW(in_shared_bins(Groups{}), Error);
}

}  // namespace sample_bins_test
}  // namespace ridgeline::stats
