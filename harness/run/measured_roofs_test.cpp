#include "harness/run/measured_roofs.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace measured_roofs_test {

using enum record::Outcome;

/// Rows as a store gives them back.
struct Rows {
  std::vector<store::StoredMeasurement> rows;

  /// One process of a case that moves 1000 bytes and does 400 operations.
  record::Measurement& add(const std::string& kind, const std::string& variant, double median_ns,
                           record::Outcome outcome = ok) {
    store::StoredMeasurement row;
    row.id = std::ssize(rows) + 1;
    row.case_info.id = {"roofs", variant, "f32", {}, {}};
    row.case_info.roof = kind;
    for (const store::StoredMeasurement& other : rows)
      if (other.case_info.id == row.case_info.id) row.replicate = other.replicate + 1;
    row.measurement.case_name = record::name(row.case_info.id);
    row.measurement.outcome = outcome;
    if (record::has_samples(outcome)) row.measurement.median_ns = median_ns;
    row.measurement.flops = 400;
    row.measurement.bytes = 1000;
    rows.push_back(row);
    return rows.back().measurement;
  }
  std::vector<record::Roof> roofs() const { return measured_roofs(rows, std::nullopt); }
};

TEST(MeasuredRoofs, TakesTheBestCaseByTheMedianOfItsProcesses) {
  Rows rows;
  for (const double ns : {10.0, 20.0, 1000.0}) rows.add("dram.copy", "a", ns);
  rows.add("dram.copy", "b", 25);
  rows.add("fma.f32", "c", 2);
  rows.add("latency.l1", "d", 5);
  rows.add("latency.l1", "e", 4);
  rows.add("latency.l1", "f", 3000).metrics = {{"loads", 1000, "1", record::Direction::none},
                                               {"latency", 3, "ns", record::Direction::lower}};
  const auto found = rows.roofs();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, "dram.copy");
  EXPECT_DOUBLE_EQ(found[0].value, 50e9);  // 1000 B in the 20 ns of a, not in the 25 ns of b
  EXPECT_EQ(found[0].unit, "B/s");
  EXPECT_DOUBLE_EQ(found[1].value, 200e9);
  EXPECT_EQ(found[1].unit, "FLOP/s");
  EXPECT_DOUBLE_EQ(found[2].value, 3);
  EXPECT_EQ(found[2].unit, "ns");
  for (const record::Roof& roof : found) EXPECT_EQ(roof.source, "measured");
}

TEST(MeasuredRoofs, AreMarkedWhenAProcessOfTheBestCaseWasNotSteady) {
  for (const auto outcome : {unstable, invalid_environment}) {
    for (const int doubtful : {0, 1, 2}) {
      Rows rows;
      for (int process = 0; process < 3; ++process)
        rows.add("dram.read", "a", 10, process == doubtful ? outcome : ok);
      ASSERT_EQ(rows.roofs().size(), 1u);
      EXPECT_DOUBLE_EQ(rows.roofs()[0].value, 100e9);
      EXPECT_TRUE(record::is_unsteady(rows.roofs()[0]) && record::is_measured(rows.roofs()[0]));
      rows.add("dram.read", "slower", 20);
      EXPECT_TRUE(record::is_unsteady(rows.roofs()[0]));
      rows.add("dram.read", "faster", 5);
      EXPECT_EQ(rows.roofs()[0].source, "measured");
    }
  }
}

TEST(MeasuredRoofs, WhatWasDisturbedThroughoutStandsBehindAllOthers) {
  Rows rows;
  rows.add("dram.read", "a", 10, invalid_environment);
  ASSERT_EQ(rows.roofs().size(), 1u);
  EXPECT_TRUE(record::is_unsteady(rows.roofs()[0]));
  rows.add("dram.read", "b", 40, unstable);
  EXPECT_DOUBLE_EQ(rows.roofs()[0].value, 25e9);
  rows.add("dram.read", "b", 20);
  rows.add("dram.read", "b", 20);
  EXPECT_DOUBLE_EQ(rows.roofs()[0].value, 50e9);
}

TEST(MeasuredRoofs, ACaseThatFailedOnceDoesNotCount) {
  for (const auto outcome : {wrong_result, timeout, crashed}) {
    for (const int failing : {0, 1, 2}) {
      Rows rows;
      for (int process = 0; process < 3; ++process)
        rows.add("dram.read", "doubtful", 1, process == failing ? outcome : ok);
      EXPECT_TRUE(rows.roofs().empty()) << failing;
      rows.add("dram.read", "sound", 10);
      ASSERT_EQ(rows.roofs().size(), 1u);
      EXPECT_DOUBLE_EQ(rows.roofs()[0].value, 100e9);
      EXPECT_EQ(rows.roofs()[0].source, "measured");
    }
  }
}

TEST(MeasuredRoofs, SkipsWhatIsNoFiniteNumber) {
  const double infinite = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  Rows rows;
  for (const double bytes : {infinite, nan, 0.0, -1.0})
    rows.add("dram.read", "bytes" + std::to_string(bytes), 1).bytes = bytes;
  EXPECT_TRUE(rows.roofs().empty());
  rows.add("dram.read", "sound", 10);
  ASSERT_EQ(rows.roofs().size(), 1u);
  EXPECT_DOUBLE_EQ(rows.roofs()[0].value, 100e9);
}

TEST(MeasuredRoofs, IgnoresOrdinaryCases) {
  Rows rows;
  rows.add("", "a", 1);
  EXPECT_TRUE(rows.roofs().empty());
}

}  // namespace measured_roofs_test
}  // namespace ridgeline::run
