#include "harness/analysis/beside_times.hpp"

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace beside_times_test {

using record::Direction;
using record::Metric;

Metric registers(double value) { return {"registers", value, "1", Direction::lower}; }
Metric energy(double value) { return {"energy", value, "J", Direction::lower}; }
Metric bandwidth(double value) { return {"bus_bandwidth", value, "B/s", Direction::higher}; }
Metric memory(double value) { return {"memory_bytes", value, "B", Direction::lower}; }

TEST(BesideTimes, WhatEachProcessSaysAlikeIsComparedExactly) {
  const std::vector<Metric> before{registers(40), registers(40)},
      after{registers(41), registers(41), registers(41)};
  const auto all = beside_times(before, after);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].exact);
  EXPECT_TRUE(all[0].changed());
  EXPECT_EQ(all[0].metric.change, Change::worse);
  EXPECT_EQ(beside_words(all), "registers 40 -> 41");
}

TEST(BesideTimes, WhatDiffersBetweenProcessesIsNoFact) {
  const std::vector<Metric> before{bandwidth(1e9), bandwidth(1.01e9), bandwidth(1.5e9)},
      after{bandwidth(2e9), bandwidth(2e9), bandwidth(2e9)};
  const auto all = beside_times(before, after);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].exact);
  EXPECT_EQ(all[0].metric.baseline, 1.01e9);  // the median
  EXPECT_EQ(beside_words(all), "");
}

TEST(BesideTimes, OneProcessCannotShowThatAMetricIsExact) {
  const std::vector<Metric> before{registers(40)}, after{registers(48)};
  EXPECT_FALSE(beside_times(before, after)[0].exact);
}

TEST(BesideTimes, EnergyIsToldWhereBothSidesMeasuredIt) {
  const std::vector<Metric> before{energy(0.125), energy(0.127), energy(0.126)},
      after{energy(0.25)};
  EXPECT_EQ(beside_words(beside_times(before, after)), "energy 0.126 -> 0.25 J");
  EXPECT_EQ(beside_words(beside_times(before, {})), "");
}

TEST(BesideTimes, EqualOnesAreNotTold) {
  const std::vector<Metric> same{memory(4096), memory(4096), registers(40), registers(40)};
  const auto all = beside_times(same, same);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(beside_words(all), "");
}

TEST(BesideTimes, ThatOneSideAloneSaysItIsAFact) {
  const std::vector<Metric> before{memory(4096), memory(4096)};
  const auto all = beside_times(before, {});
  EXPECT_TRUE(all[0].exact);
  EXPECT_EQ(all[0].metric.candidate, std::nullopt);
  EXPECT_EQ(beside_words(all), "memory_bytes 4096 (the baseline alone)");
}

TEST(BesideTimes, AnotherUnitOrDirectionIsAChangeAndNoArrow) {
  const auto twice = [](const Metric& metric) { return std::vector<Metric>{metric, metric}; };
  const Metric bytes{"size", 5, "B", Direction::lower};
  for (const Metric& other :
       {Metric{"size", 5, "KB", Direction::lower}, Metric{"size", 7, "KB", Direction::lower},
        Metric{"size", 5, "B", Direction::higher}}) {
    const auto all = beside_times(twice(bytes), twice(other));
    EXPECT_TRUE(all[0].changed());
    EXPECT_EQ(beside_words(all), "size (in another unit or direction)");
  }
  EXPECT_EQ(beside_words(beside_times(twice(bytes), twice(bytes))), "");
}

}  // namespace beside_times_test
}  // namespace ridgeline::analysis
