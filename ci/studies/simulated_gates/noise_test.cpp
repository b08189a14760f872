#include "ci/studies/simulated_gates/noise.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis::study {
namespace noise_test {

std::vector<PairedTimes> pairs_of(const Noise& noise, const Plant& plant, int count,
                                  Location location = Location::median) {
  Random random(1, 2);
  Rounds rounds(noise, plant, 20, random, location);
  std::vector<PairedTimes> pairs;
  for (int i = 0; i < count; ++i) pairs.push_back(rounds.next());
  return pairs;
}

/// Of pairs whose candidate took more than `factor` times as long.
double share_slower(const std::vector<PairedTimes>& pairs, double factor) {
  const auto slower = std::ranges::count_if(pairs, [&](const PairedTimes& pair) {
    return pair.candidate_ns > factor * pair.baseline_ns;
  });
  return static_cast<double>(slower) / static_cast<double>(pairs.size());
}

const Noise quiet{.name = "quiet", .between = 0, .within = 1e-6};

TEST(Plant, SlowsTheSlowerOfTwoModesAlone) {
  Noise two_modes = quiet;
  two_modes.second_mode = 0.5;
  const double one_mode_apart = std::exp(0.125);
  const Plant slower{.name = "slow", .slow_mode = 1.2};
  EXPECT_EQ(share_slower(pairs_of(two_modes, {}, 400), 1.01 * one_mode_apart), 0);
  // Of four pairs two have a candidate in its slower mode, one of them a baseline that is not.
  const auto slowed = pairs_of(two_modes, slower, 400);
  EXPECT_NEAR(share_slower(slowed, 1.01 * one_mode_apart), 0.5, 0.1);  // 4 deviations
  EXPECT_NEAR(share_slower(slowed, 1.1 * one_mode_apart), 0.25, 0.09);
  EXPECT_EQ(share_slower(pairs_of(quiet, slower, 400), 1.01), 0);
  Noise of_samples = quiet;
  of_samples.second_mode_of_samples = 0.3;
  double mean = 0;
  for (const PairedTimes& pair : pairs_of(of_samples, slower, 400)) mean += pair.shape.mean / 400;
  const double slow = one_mode_apart * 1.2;
  EXPECT_NEAR(mean, std::log((0.7 + 0.3 * slow) / (0.7 + 0.3 * one_mode_apart)), 0.01);
}

TEST(Location, LowerQuartilesDoNotSeeAThirdOfTheSamples) {
  const Plant third{.name = "third", .samples = 0.45, .factor = 2};
  const auto medians = pairs_of(quiet, third, 200),
             quartiles = pairs_of(quiet, third, 200, Location::lower_quartile);
  EXPECT_GT(share_slower(medians, 1.1), 0.1);
  EXPECT_LT(share_slower(quartiles, 1.1), 0.1);
  EXPECT_EQ(to_string(Location::lower_quartile), "lower quartile");
  EXPECT_EQ(to_string(Location::median), "median");
}

class PairsFile : public testing::Test {
 protected:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / fmt::format("ridgeline_pairs_{}", getpid());

  void TearDown() override { std::filesystem::remove(file_); }

  std::vector<MeasuredPairs> read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_pairs(file_.string());
  }
};

/// `count` logarithms of each side, which tell where they stand.
std::string numbers(int count, double first) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{} ", first + 0.001 * i);
  return text + "\n";
}

TEST_F(PairsFile, SetsHaveTheirNamesAndDevices) {
  const auto sets = read("# cpu calibration/memory/i32/threads=1,mib=64\n60 2\n" + numbers(120, 1) +
                         numbers(120, 2) + "\n61 1\n" + numbers(61, 3) + numbers(61, 4) +
                         "# cuda a b \n60 1\n" + numbers(60, 5) + numbers(60, 6));
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].name, "calibration/memory/i32/threads=1,mib=64");
  EXPECT_EQ(sets[0].device, DeviceKind::cpu);
  EXPECT_EQ(sets[0].pairs, 60u);
  EXPECT_EQ(sets[0].samples, 2u);
  EXPECT_EQ(sets[0].baseline.size(), 120u);
  EXPECT_EQ(sets[0].candidate[119], 2.119);
  EXPECT_EQ(sets[1].name, "measured, set 2");
  EXPECT_EQ(sets[1].device, DeviceKind::cpu);
  EXPECT_EQ(sets[1].baseline[0], 3);
  EXPECT_EQ(sets[2].name, "a b ");
  EXPECT_EQ(sets[2].device, DeviceKind::cuda);
}

TEST_F(PairsFile, WhatIsNoneIsRefused) {
  const std::string both = numbers(60, 1) + numbers(60, 2);
  EXPECT_NO_THROW(read("60 1\n" + both));
  for (const std::string& text :
       {std::string(), std::string("\n"), "59 1\n" + numbers(59, 1) + numbers(59, 2),
        "60 0\n" + both, "60 1\n" + numbers(60, 1) + numbers(59, 2), "60 1\n" + both + "x",
        "60 1\n" + both + "7", "60 x\n" + both, "# fpga a\n60 1\n" + both,
        "# emulated a\n60 1\n" + both, std::string("# cpu a"), std::string("60 99999999999\n"),
        std::string("-1 1\n"), std::string("99999999999999999999999999 1\n")})
    EXPECT_THROW(read(text), Error) << text;
  EXPECT_THROW(read_pairs("/no/such/file"), Error);
}

TEST_F(PairsFile, PairsComeInTheirOrder) {
  std::string baseline, candidate;
  for (int i = 0; i < 60; ++i) {
    baseline += "0 ";
    candidate += fmt::format("{} ", 0.01 * (i + 1));
  }
  const auto sets = read("# cpu a\n60 1\n" + baseline + "\n" + candidate);
  const Noise measured{.name = "a", .device = DeviceKind::cpu, .measured = &sets[0]};
  const auto pairs = pairs_of(measured, {}, 60);
  int swapped = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const double ratio = std::log(pairs[i].candidate_ns / pairs[i].baseline_ns);
    EXPECT_NEAR(std::abs(ratio), 0.01 * static_cast<double>(i + 1), 1e-9);
    swapped += ratio < 0 ? 1 : 0;
  }
  EXPECT_GT(swapped, 10);  // a coin of each
  EXPECT_LT(swapped, 50);
}

}  // namespace noise_test
}  // namespace ridgeline::analysis::study
