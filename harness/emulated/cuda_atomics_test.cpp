// libcu++'s own headers on the emulated device.

#include "harness/emulated/test/cuda_atomics.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/emulated/test/lab.hpp"

namespace ridgeline::emulated {
namespace cuda_atomics_test {

using test::checks;
using test::Lab;

TEST(CudaAtomics, AFlagHandsDataToAnotherBlock) {
  for (const std::uint64_t seed : {0u, 3u})
    for (const bool ordered : {true, false}) {
      Lab lab({.seed = seed});
      int *const flag = lab.filled<int>({0}), *const data = lab.filled<int>({0}),
                 *const to = lab.empty<int>(1);
      test::hand_over(lab.stream(), ordered, flag, data, to);
      EXPECT_EQ(checks(lab.report()), ordered ? "" : "race between blocks (read after write)");
      EXPECT_EQ(to[0], 7);
    }
}

TEST(CudaAtomics, AFlagOfABlockHandsDataOnWithinItAlone) {
  for (const std::uint64_t seed : {0u, 3u})
    for (const int blocks : {1, 2}) {
      Lab lab({.seed = seed});
      int *const flag = lab.filled<int>({0}), *const data = lab.filled<int>({0}),
                 *const to = lab.empty<int>(1);
      test::hand_over_in_block(lab.stream(), blocks, flag, data, to);
      const Report report = lab.report();
      std::string places;  // the flag, and what it is to hand on
      for (const Finding& finding : report.findings)
        places += std::to_string(finding.argument) + ' ';
      EXPECT_EQ(places, blocks == 1 ? "" : "1 2 ") << checks(report);
      EXPECT_EQ(to[0], 7);
    }
}

template <class T>
std::string checks_of_updates(bool of_block) {
  Lab lab;
  T *const sum = lab.filled<T>({0}), *const at = lab.filled<T>({0, 0});
  test::update_all(lab.stream(), of_block, sum, at);
  EXPECT_EQ(sum[0], 64);
  return checks(lab.report());
}

TEST(CudaAtomics, UpdatesOfABlockAreNoneForOthers) {
  EXPECT_EQ(checks_of_updates<int>(false), "");
  EXPECT_EQ(checks_of_updates<float>(false), "");
  EXPECT_EQ(checks_of_updates<int>(true), "race between blocks (write after access)");
  EXPECT_NE(checks_of_updates<float>(true).find("race between blocks"), std::string::npos);
}

TEST(CudaAtomics, SumsAreCountedAsAtomics) {
  Lab lab;
  unsigned* const sum = lab.filled<unsigned>({5});
  test::add_up_by_atomics(lab.stream(), 3, sum);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  EXPECT_EQ(sum[0], 5 + 3 * 64u);
  EXPECT_EQ(total(report, Space::global, Act::atomic).lanes, 3u);
  EXPECT_EQ(total(report, Space::shared, Act::atomic).lanes, 3 * 64u);
  EXPECT_EQ(total(report, Space::shared, Act::atomic).requests, 3 * 2u);
}

TEST(CudaAtomics, ComparedAndExchangedNumbersAreTakenOnceEach) {
  for (const std::uint64_t seed : {0u, 3u, 9u}) {
    Lab lab({.seed = seed});
    auto* const next = lab.filled<unsigned long long>({100});
    auto* const largest = lab.filled<unsigned long long>({0});
    auto* const to = lab.empty<unsigned long long>(32);
    test::take_numbers(lab.stream(), next, to, largest);
    EXPECT_EQ(checks(lab.report()), "");
    std::vector<unsigned long long> taken(to, to + 32);
    std::ranges::sort(taken);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(taken[i], 100 + i);
    EXPECT_EQ(largest[0], 131u);
  }
}

TEST(CudaAtomics, ABarrierOfThemLetsThreadsMeet) {
  constexpr int rounds = 5;
  for (const std::uint64_t seed : {0u, 1u, 3u, 9u})
    for (const int threads : {32, 40, 128}) {
      Lab lab({.seed = seed});
      int* const to = lab.empty<int>(static_cast<std::size_t>(threads));
      test::pass_round(lab.stream(), threads, rounds, to);
      EXPECT_EQ(checks(lab.report()), "") << threads << " threads, seed " << seed;
      for (int thread = 0; thread < threads; ++thread)
        EXPECT_EQ(to[thread], (thread + rounds) % threads) << threads << " threads, seed " << seed;
    }
}

}  // namespace cuda_atomics_test
}  // namespace ridgeline::emulated
