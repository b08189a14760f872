#include "harness/analysis/library_choice.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace library_choice_test {

CaseSummary timed(std::vector<double> medians_ns) {
  CaseSummary summary;
  summary.medians_ns = medians_ns;
  summary.median_ns = medians_ns[medians_ns.size() / 2];
  return summary;
}

TEST(Regret, IsOfTheFastestThatHasATime) {
  const std::vector<CaseSummary> told{
      timed({12, 12.1, 12.2}), {}, timed({8, 8.1, 8.2}), timed({9, 9.1, 9.2})};
  const auto found = regret(timed({10, 10.1, 10.2}), told);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fastest, 2u);
  EXPECT_DOUBLE_EQ(found->ratio, 10.1 / 8.1);
  EXPECT_TRUE(found->is_beyond_noise());
  EXPECT_LT(found->interval->high, 1.35);
}

TEST(Regret, IsAbsentWithoutATimeOnEitherSide) {
  EXPECT_FALSE(regret({}, std::vector{timed({1, 1, 1})}));
  EXPECT_FALSE(regret(timed({1, 1, 1}), std::vector<CaseSummary>(2)));
}

TEST(Regret, IsNoisierTheMoreThereIsToChooseFrom) {
  const CaseSummary own = timed({10, 10.2, 10.4}), other = timed({9.9, 10.1, 10.3});
  const auto one = regret(own, std::vector(1, other)), six = regret(own, std::vector(6, other));
  EXPECT_FALSE(one->is_beyond_noise());
  EXPECT_GT(six->interval->high, one->interval->high);
  EXPECT_FALSE(regret(timed({10, 11}), std::vector(1, other))->interval);
}

}  // namespace library_choice_test
}  // namespace ridgeline::analysis
