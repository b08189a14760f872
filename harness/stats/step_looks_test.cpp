#include "harness/stats/step_looks.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::stats {
namespace step_looks_test {

TEST(Moves, TellHowFarMeansAreApart) {
  std::vector<double> nights;
  Moves moves;
  for (int night = 0; night < 30; ++night) {
    nights.push_back(night);
    moves.add(nights, 0, 1e9);  // no night is off
  }
  EXPECT_DOUBLE_EQ(moves.range(7, 0, 7), 0) << "one week";
  EXPECT_DOUBLE_EQ(moves.range(7, 0, 8), 1);
  EXPECT_DOUBLE_EQ(moves.range(7, 10, 30), 13);
  EXPECT_DOUBLE_EQ(moves.range(14, 0, 30), 16);
}

}  // namespace step_looks_test
}  // namespace ridgeline::stats
