#include "harness/stats/lone_nights.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::stats {
namespace lone_nights_test {

/// 46 nights, of which 40 are asked.
std::vector<double> with(std::initializer_list<std::size_t> off, double by) {
  std::vector<double> nights(46, 1);
  for (const std::size_t i : off) nights[i] += by;
  return nights;
}

TEST(LoneNights, AreFarFromTheirNeighboursOnBothSides) {
  EXPECT_EQ(share_of_lone(with({10, 20, 21}, .5), .4), 3 / 40.);
  EXPECT_EQ(share_of_lone(with({10, 20, 21}, .5), .6), 0);
  EXPECT_EQ(share_of_lone(with({10, 20, 21}, .5), -.4), 0) << "they lie above";
  EXPECT_EQ(share_of_lone(with({10, 20, 21}, -.5), -.4), 3 / 40.);
  EXPECT_EQ(share_of_lone(with({0, 45}, .5), .4), 0) << "too few nights beside them";
}

TEST(LoneNights, AreNoLevelNorSlope) {
  std::vector<double> nights(46, 1);
  for (std::size_t i = 20; i < nights.size(); ++i) nights[i] += 1;
  EXPECT_EQ(share_of_lone(nights, .5), 0);
  for (std::size_t i = 0; i < nights.size(); ++i) nights[i] = .1 * static_cast<double>(i);
  EXPECT_EQ(share_of_lone(nights, .1), 0);
}

TEST(LoneNights, OfFewNightsAreNone) {
  EXPECT_EQ(share_of_lone({}, 1), 0);
  EXPECT_EQ(share_of_lone(std::vector<double>{0, 0, 0, 9, 0, 0}, 1), 0);
  EXPECT_EQ(share_of_lone(std::vector<double>{0, 0, 0, 9, 0, 0, 0}, 1), 1);
}

}  // namespace lone_nights_test
}  // namespace ridgeline::stats
