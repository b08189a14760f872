#include "harness/stats/distributions.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace distributions_test {

TEST(Proportion, HasThePublishedLimits) {
  // Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 5; to all digits by SciPy
  // 1.17.1, binomtest(...).proportion_ci(method="exact").
  struct Row {
    std::int64_t successes, trials;
    double confidence, low, high;
  };
  const Row rows[] = {{81, 263, .95, .25273674558504267, .36762192260134746},
                      {15, 148, .95, .05784401008344801, .16165049034947895},
                      {0, 20, .95, 0, .16843347098308548},
                      {1, 29, .95, .0008726468835971072, .17764429548841465},
                      {10, 10, .9, .7411344491066528, 1},
                      {3, 300, .99, .0011293442679942397, .036108259750364295},
                      {299, 300, .5, .9910498370520823, .9990415193947861}};
  for (const Row& row : rows) {
    const Interval found = proportion_interval(row.successes, row.trials, row.confidence);
    EXPECT_NEAR(found.low, row.low, 1e-12) << row.successes << " of " << row.trials;
    EXPECT_NEAR(found.high, row.high, 1e-12) << row.successes << " of " << row.trials;
  }
}

TEST(Proportion, OfNoneOrAllEndsAtZeroOrOne) {
  for (const std::int64_t n : {1, 2, 300, 1000000}) {
    const Interval none = proportion_interval(0, n), all = proportion_interval(n, n);
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, -std::expm1(std::log(.025) / static_cast<double>(n)), 1e-12);
    EXPECT_EQ(all.high, 1);
    EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
  }
}

TEST(Drawn, IsFishersTest) {
  EXPECT_NEAR(drawn_at_least(3, 4, 4, 8), 17 / 70., 1e-12) << "the lady tasting tea";
  EXPECT_NEAR(drawn_at_least(4, 4, 4, 8), 1 / 70., 1e-12);
  EXPECT_NEAR(drawn_at_least(2, 2, 2, 15), 1 / 105., 1e-12);
  EXPECT_EQ(drawn_at_least(0, 4, 4, 8), 1);
  EXPECT_EQ(drawn_at_least(2, 6, 4, 8), 1) << "there are no fewer";
  EXPECT_EQ(drawn_at_least(5, 6, 4, 8), 0);
  EXPECT_EQ(drawn_at_least(0, 0, 0, 0), 1);
}

TEST(Proportion, RefusesWhatIsNone) {
  EXPECT_THROW(proportion_interval(0, 0), Error);
  EXPECT_THROW(proportion_interval(-1, 5), Error);
  EXPECT_THROW(proportion_interval(6, 5), Error);
  for (const double confidence : {0., 1., std::nan("")})
    EXPECT_THROW(proportion_interval(1, 5, confidence), Error);
}

}  // namespace distributions_test
}  // namespace ridgeline::stats
