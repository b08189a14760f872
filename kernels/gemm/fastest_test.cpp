#include "kernels/gemm/fastest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::gemm {
namespace fastest_test {

constexpr double impossible = std::numeric_limits<double>::infinity();

/// Ways of which each takes as long as it says, and those of a GPU whose clock falls.
struct Ways {
  struct Way {
    double ns, at_power_limit_ns;
  };
  std::vector<Way> all;
  std::vector<std::size_t> taken = {};  // which ones were timed, turn by turn
  double loaded_ns = 0;                 // of all executions so far

  double ns(std::size_t way, int times) {
    taken.push_back(way);
    const double found = loaded_ns > 25e6 ? all[way].at_power_limit_ns : all[way].ns;
    loaded_ns += found * times;
    return found;
  }
  std::size_t chosen(const std::vector<std::size_t>& refused = {}) {
    std::vector<double> once;
    for (const Way& way : all) once.push_back(way.ns);
    for (const std::size_t way : refused) once[way] = impossible;
    return fastest(once, [&](std::size_t way, int times) { return ns(way, times); });
  }
};

TEST(Fastest, IsTheWayOfTheLeastTime) {
  EXPECT_EQ(Ways({{{300, 300}, {200, 200}, {250, 250}}}).chosen(), 1u);
  EXPECT_EQ(Ways({{{3e5, 3e5}, {4e5, 4e5}, {2e5, 2e5}}}).chosen(), 2u);
  EXPECT_EQ(Ways({{{3e8, 3e8}, {2e8, 2e8}}}).chosen(), 1u);
  EXPECT_EQ(Ways({{{500, 500}}}).chosen(), 0u);
}

TEST(Fastest, OfEqualsIsTheFirst) {
  EXPECT_EQ(Ways({{{300, 300}, {200, 200}, {200, 200}}}).chosen(), 1u);
  EXPECT_EQ(Ways({{{2e5, 2e5}, {2e5, 2e5}}}).chosen(), 0u);
}

TEST(Fastest, TakesNoneThatWasRefused) {
  Ways ways{{{300, 300}, {200, 200}, {250, 250}}};
  EXPECT_EQ(ways.chosen({1}), 2u);
  for (const std::size_t way : ways.taken) EXPECT_NE(way, 1u);
}

TEST(Fastest, OfLongOnesIsThatAtThePowerLimit) {
  EXPECT_EQ(Ways({{{6.0e5, 7.0e5}, {6.1e5, 6.8e5}, {6.5e5, 9e5}}}).chosen(), 1u);
  EXPECT_EQ(Ways({{{600, 700}, {610, 680}}}).chosen(), 0u);  // too short to get there
}

TEST(Fastest, TriesThoseLongThatAreNearTheBest) {
  Ways ways{{{6e5, 7e5}, {6.1e5, 6.9e5}, {9e5, 9e5}}};
  EXPECT_EQ(ways.chosen(), 1u);
  EXPECT_EQ(std::ranges::count(ways.taken, std::size_t{2}), 3);
  EXPECT_GT(std::ranges::count(ways.taken, std::size_t{1}), 3);
}

TEST(Fastest, TakesNoTurnsWithWaysThatAreLongerThanATurn) {
  Ways ways{{{3e8, 3e8}, {2e8, 2e8}}};
  EXPECT_EQ(ways.chosen(), 1u);
  EXPECT_TRUE(ways.taken.empty());
}

}  // namespace fastest_test
}  // namespace ridgeline::gemm
