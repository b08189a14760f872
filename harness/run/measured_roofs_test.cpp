#include "harness/run/measured_roofs.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace {

record::Measurement measured(const std::string& name, double median_ns, double flops,
                             double bytes) {
  record::Measurement measurement;
  measurement.case_name = name;
  measurement.outcome = record::Outcome::ok;
  measurement.median_ns = median_ns;
  measurement.flops = flops;
  measurement.bytes = bytes;
  return measurement;
}

record::Case ceiling(const std::string& kind) {
  record::Case info;
  info.roof = kind;
  return info;
}

TEST(MeasuredRoofs, TakesTheBestCaseByTheMedianOfItsProcesses) {
  MeasuredRoofs roofs;
  for (const double ns : {10.0, 20.0, 1000.0})
    roofs.add(ceiling("dram.copy"), measured("a", ns, 0, 1000));
  roofs.add(ceiling("dram.copy"), measured("b", 25, 0, 1000));
  roofs.add(ceiling("fma.f32"), measured("c", 2, 400, 0));
  roofs.add(ceiling("latency.l1"), measured("d", 5, 0, 64));
  roofs.add(ceiling("latency.l1"), measured("e", 4, 0, 64));
  record::Measurement chase = measured("f", 3000, 0, 64);
  chase.metrics = {{"loads", 1000, "1", record::Direction::none},
                   {"latency", 3, "ns", record::Direction::lower}};
  roofs.add(ceiling("latency.l1"), chase);
  const auto found = roofs.roofs();
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

TEST(MeasuredRoofs, ACaseCountsOnlyWhenAllItsProcessesWereOk) {
  using enum record::Outcome;
  for (const auto outcome : {unstable, invalid_environment, wrong_result, timeout, crashed}) {
    for (const int failing : {0, 1, 2}) {
      MeasuredRoofs roofs;
      for (int process = 0; process < 3; ++process) {
        record::Measurement measurement = measured("doubtful", 1, 0, 1000);
        if (process == failing) measurement.outcome = outcome;
        roofs.add(ceiling("dram.read"), measurement);
      }
      EXPECT_TRUE(roofs.roofs().empty()) << failing;
      roofs.add(ceiling("dram.read"), measured("sound", 10, 0, 1000));
      ASSERT_EQ(roofs.roofs().size(), 1u);
      EXPECT_DOUBLE_EQ(roofs.roofs()[0].value, 100e9);
    }
  }
}

TEST(MeasuredRoofs, SkipsWhatIsNoFiniteNumber) {
  MeasuredRoofs roofs;
  const double infinite = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bytes : {infinite, nan, 0.0, -1.0})
    roofs.add(ceiling("dram.read"), measured("a", 1, 0, bytes));
  roofs.add(ceiling("dram.read"), measured("a", 0, 0, 1000));
  EXPECT_TRUE(roofs.roofs().empty());
  roofs.add(ceiling("dram.read"), measured("a", 10, 0, 1000));
  ASSERT_EQ(roofs.roofs().size(), 1u);
  EXPECT_DOUBLE_EQ(roofs.roofs()[0].value, 100e9);
}

TEST(MeasuredRoofs, IgnoresOrdinaryCasesAndWhatIsNotOk) {
  MeasuredRoofs roofs;
  roofs.add(ceiling(""), measured("a", 1, 1, 1));
  record::Measurement unstable = measured("b", 1, 1, 1);
  unstable.outcome = record::Outcome::unstable;
  roofs.add(ceiling("dram.read"), unstable);
  record::Measurement crashed;
  crashed.case_name = "c";
  roofs.add(ceiling("dram.read"), crashed);
  EXPECT_TRUE(roofs.roofs().empty());
}

}  // namespace
}  // namespace ridgeline::run
