#include "harness/run/order.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace order_test {

TEST(Order, IsTheSameEverywhereForOneSeed) {
  // Stored seeds must stay repeatable.
  EXPECT_EQ(shuffled(6, 1), (std::vector<std::size_t>{0, 1, 3, 2, 4, 5}));
}

TEST(Order, HoldsEveryIndexOnceAndDependsOnTheSeed) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<std::size_t> order = shuffled(50, seed);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(order[i], i);
  }
  EXPECT_EQ(orders.size(), 100u);
  EXPECT_TRUE(shuffled(0, 1).empty());
}

TEST(Order, PutsSomeFirstAndKeepsTheOrderOtherwise) {
  const auto even = [](std::size_t i) { return i % 2 == 0; };
  const std::vector<std::size_t> plain = shuffled(7, 3), order = shuffled(7, 3, even);
  std::vector<std::size_t> expected;
  std::ranges::copy_if(plain, std::back_inserter(expected), even);
  EXPECT_EQ(expected.size(), 4u);
  std::ranges::copy_if(plain, std::back_inserter(expected), std::not_fn(even));
  EXPECT_EQ(order, expected);
  EXPECT_NE(order, plain);
}

TEST(Order, EveryIndexComesFirstEquallyOften) {
  std::vector<int> first(4);
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    ++first[shuffled(4, replicate_seed(seed, 0))[0]];
  for (const int count : first) EXPECT_NEAR(count, 1000, 150);
}

TEST(Order, ReplicatesHaveSeedsOfTheirOwn) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (int replicate = 0; replicate < 10; ++replicate)
      seeds.insert(replicate_seed(seed, replicate));
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_LT(*seeds.rbegin(), std::uint64_t{1} << 53);
  EXPECT_GT(*seeds.begin(), 0u);
}

}  // namespace order_test
}  // namespace ridgeline::run
