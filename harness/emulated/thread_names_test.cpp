#include "harness/emulated/thread_names.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace thread_names_test {

TEST(ThreadNames, AreRangesOrTheFirstOfMany) {
  const dim3 row{128, 1, 1};
  const auto names = [&](const std::vector<int>& threads) { return names_of(threads, row); };
  EXPECT_EQ(names({5}), "thread 5");
  EXPECT_EQ(names({5, 6}), "threads 5 to 6");
  EXPECT_EQ(names({0, 1, 2, 64}), "threads 0 to 2 and 64");
  EXPECT_EQ(names({0, 2, 3, 9}), "threads 0, 2 to 3 and 9");
  EXPECT_EQ(names({0, 2, 4, 6, 7}), "threads 0, 2, 4 and 2 others");
  EXPECT_EQ(names({0, 2, 4, 6}), "threads 0, 2, 4 and 1 other");
}

TEST(ThreadNames, HaveThreeNumbersInABlockOfSeveralAxes) {
  EXPECT_EQ(names_of(std::vector{1, 2, 9}, {4, 2, 2}),
            "threads (1, 0, 0) to (2, 0, 0) and (1, 0, 1)");
}

}  // namespace thread_names_test
}  // namespace ridgeline::emulated
