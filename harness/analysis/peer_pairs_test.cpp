#include "harness/analysis/peer_pairs.hpp"

#include <random>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace peer_pairs_test {

/// The ordered pairs of so many GPUs, of which the one from `slow` to the next takes `factor` times
/// as long; processes differ by 0.5%.
std::vector<PeerPair> pairs_of(int gpus, int processes, std::uint64_t seed, double factor = 1,
                               int slow = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.005);
  std::vector<PeerPair> pairs;
  for (int from = 0; from < gpus; ++from)
    for (int to = 0; to < gpus; ++to) {
      if (from == to) continue;
      PeerPair pair{.gpu = std::to_string(from), .peer = std::to_string(to), .bytes = 1e9};
      const bool is_slow = from == slow && to == (slow + 1) % gpus;
      for (int i = 0; i < processes; ++i)
        pair.medians_ns.push_back(2.5e6 * (is_slow ? factor : 1) * noise(random));
      pairs.push_back(pair);
    }
  return pairs;
}

const PeerPair* slowest_of(std::vector<PeerPair>& pairs) {
  compare_pairs(pairs, pairs.size());
  return slowest(pairs);
}

TEST(PeerPairs, HaveTheRateOfTheirMedianProcess) {
  std::vector<PeerPair> pairs{{.bytes = 3e9, .medians_ns = {9e6, 1e6, 2e6}, .roof = 2e12}};
  compare_pairs(pairs, 1);
  EXPECT_DOUBLE_EQ(pairs[0].rate, 1.5e12);
  EXPECT_DOUBLE_EQ(*pairs[0].share_of_roof(), 0.75);
  EXPECT_EQ(slowest(pairs), nullptr) << "alone";
}

TEST(PeerPairs, NameTheSlowestBeyondNoise) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto pairs = pairs_of(4, 3, seed, 1.03, 2);
    const PeerPair* pair = slowest_of(pairs);
    found += pair != nullptr && pair->gpu == "2" && pair->peer == "3";
  }
  EXPECT_GE(found, 180);
}

TEST(PeerPairs, NameNoneOfEqualOnesButByChance) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    auto pairs = pairs_of(4, 3, seed);
    found += slowest_of(pairs) != nullptr;
  }
  EXPECT_LE(found, 50);
}

TEST(PeerPairs, OfOneProcessAreNotJudged) {
  auto pairs = pairs_of(2, 1, 5, 2);
  EXPECT_EQ(slowest_of(pairs), nullptr);
  EXPECT_FALSE(pairs[0].interval);
  EXPECT_NEAR(pairs[0].ratio, 2, 0.1);
}

TEST(PeerPairs, CountAsManyProcessesAsAllHave) {
  auto pairs = pairs_of(2, 3, 5);
  pairs[0].medians_ns.resize(1);
  compare_pairs(pairs, 2);
  EXPECT_FALSE(pairs[1].interval);
}

}  // namespace peer_pairs_test
}  // namespace ridgeline::analysis
