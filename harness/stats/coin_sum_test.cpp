#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "harness/stats/distributions.hpp"

namespace ridgeline::stats {
namespace coin_sum_test {

using Scores = std::vector<std::int64_t>;

Scores ranks(int n) {
  Scores scores(static_cast<std::size_t>(n));
  std::iota(scores.begin(), scores.end(), 1);
  return scores;
}

TEST(CoinSum, IsCountedOverAllThrows) {
  for (const Scores& scores :
       {Scores{1}, Scores{2, 2}, Scores{1, 2, 3, 4, 5}, Scores{5, 5, 5, 8, 8, 8, 5},
        Scores{3, 3, 6, 8, 8, 8, 8}, Scores{7, 1, 1, 30, 2, 2, 2, 2, 9, 4}}) {
    const std::int64_t total = std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
    for (std::int64_t limit = -1; limit <= total + 1; ++limit) {
      int counted = 0;
      for (unsigned heads = 0; heads < 1u << scores.size(); ++heads) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < scores.size(); ++i)
          sum += (heads >> i & 1u) != 0 ? scores[i] : 0;
        counted += sum <= limit ? 1 : 0;
      }
      EXPECT_EQ(coin_sum_at_most(scores, limit),
                std::ldexp(counted, -static_cast<int>(scores.size())))
          << limit;
    }
  }
}

TEST(CoinSum, HasThePublishedTailsOfWilcoxonsTest) {
  // The critical values of Wilcoxon, Kempthorne and Wilcox, "Critical values and probability levels
  // for the Wilcoxon rank sum test and the Wilcoxon signed rank test" (Selected Tables in
  // Mathematical Statistics I, 1970): the largest sum at a one-sided 2.5%.
  const std::pair<int, std::int64_t> table[] = {{6, 0},   {8, 3},   {10, 8},  {12, 13},
                                                {15, 25}, {20, 52}, {25, 89}, {50, 434}};
  for (const auto& [n, critical] : table) {
    EXPECT_LE(coin_sum_at_most(ranks(n), critical), .025) << n;
    EXPECT_GT(coin_sum_at_most(ranks(n), critical + 1), .025) << n;
  }
  // Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, example 3.1 (depression, 9
  // patients): T+ = 40, one-sided p .0195. SciPy's manual of wilcoxon, on Darwin's 15 pairs of
  // maize: statistic 24, two-sided p .0413.
  EXPECT_EQ(coin_sum_at_most(ranks(9), 45 - 40), .01953125);
  EXPECT_EQ(2 * coin_sum_at_most(ranks(15), 24), .041259765625);
  // SciPy 1.17.1, the distribution behind wilcoxon(method="exact").
  EXPECT_NEAR(coin_sum_at_most(ranks(25), 89), .024131208658218384, 1e-16);
  EXPECT_NEAR(coin_sum_at_most(ranks(50), 434), .024723203400300875, 1e-15);
}

TEST(CoinSum, ReachesBothEndsOfTheLongestPlan) {
  EXPECT_EQ(coin_sum_at_most(ranks(60), 0), std::ldexp(1., -60));
  EXPECT_EQ(coin_sum_at_most(ranks(60), 1830), 1);
  EXPECT_NEAR(coin_sum_at_most(ranks(60), 914) + coin_sum_at_most(ranks(60), 915), 1, 1e-14);
  EXPECT_EQ(coin_sum_at_most({}, 0), 1);
}

}  // namespace coin_sum_test
}  // namespace ridgeline::stats
