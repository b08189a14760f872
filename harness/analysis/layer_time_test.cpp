#include "harness/analysis/layer_time.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace layer_time_test {

CaseSummary of(std::vector<double> medians_ns, record::Outcome outcome = record::Outcome::ok) {
  CaseSummary made;
  made.outcome = outcome;
  made.median_ns = medians_ns.at(1);
  made.medians_ns = std::move(medians_ns);
  return made;
}

TEST(LayerTime, IsTwoOfEachKindTimesTheLayers) {
  const CaseSummary scatter = of({900, 1000, 1100}), gather = of({480, 500, 520});
  const auto one = layer_time({&scatter, &gather}, 1), many = layer_time({&scatter, &gather}, 80);
  ASSERT_TRUE(one && many);
  EXPECT_DOUBLE_EQ(one->ns, 3000);
  EXPECT_DOUBLE_EQ(many->ns, 240'000);
  ASSERT_TRUE(one->interval_ns && many->interval_ns);
  EXPECT_LT(one->interval_ns->low, 3000);
  EXPECT_GT(one->interval_ns->high, 3000);
  EXPECT_NEAR(many->interval_ns->high, 80 * one->interval_ns->high, 1e-6);
  EXPECT_LT(layer_time({&gather}, 1)->interval_ns->high - 1000, one->interval_ns->high - 3000)
      << "the noise of both counts";
}

TEST(LayerTime, IsNoBetterThanItsKinds) {
  const CaseSummary good = of({1, 2, 3}), doubted = of({1, 2, 3}, record::Outcome::unstable),
                    two = of({1, 2});
  EXPECT_TRUE(layer_time({&good}, 1)->is_good);
  EXPECT_FALSE(layer_time({&good, &doubted}, 1)->is_good);
  EXPECT_FALSE(layer_time({&good, &two}, 1)->interval_ns);
  const CaseSummary failed;
  EXPECT_FALSE(layer_time({&good, &failed}, 1));
}

}  // namespace layer_time_test
}  // namespace ridgeline::analysis
