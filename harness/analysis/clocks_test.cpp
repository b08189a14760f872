#include "harness/analysis/clocks.hpp"

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace clocks_test {

store::StoredMeasurement timed_at(std::optional<double> clock, std::optional<double> power,
                                  const std::string& throttle = "") {
  store::StoredMeasurement stored;
  stored.measurement.outcome = record::Outcome::ok;
  stored.measurement.telemetry.sm_clock_mhz = clock;
  stored.measurement.telemetry.power_w = power;
  stored.measurement.telemetry.throttle = throttle;
  return stored;
}

TEST(ClocksOfARun, AreOfMeasurementsThatTellClockAndPower) {
  EXPECT_FALSE(clocks_of({}));
  EXPECT_FALSE(clocks_of({timed_at(2400, {}), timed_at({}, 300)}));
  store::StoredMeasurement failed = timed_at(1000, 300);
  failed.measurement.outcome = record::Outcome::crashed;
  const auto clocks = clocks_of({failed, timed_at(1980, 300), timed_at(2400, {})});
  ASSERT_TRUE(clocks);
  EXPECT_EQ(clocks->timed, 1);
  EXPECT_EQ(clocks->lowest_mhz, 1980);
}

TEST(ClocksOfARun, AreFixedWhenTheyHardlyDifferAndThePowerLimitDidNotLowerThem) {
  EXPECT_TRUE(clocks_of({timed_at(1980, 300), timed_at(1965, 500)})->fixed_frequency());
  EXPECT_FALSE(clocks_of({timed_at(1980, 300), timed_at(1755, 500)})->fixed_frequency());
  const auto limited = clocks_of({timed_at(1980, 300), timed_at(1980, 700, "gpu_idle,sw_power_cap"),
                                  timed_at(1410, 700, "sw_power_cap")});
  EXPECT_FALSE(limited->fixed_frequency());
  EXPECT_EQ(limited->at_power_limit, 2);
  EXPECT_EQ(limited->lowest_mhz, 1410);
  EXPECT_EQ(limited->highest_mhz, 1980);
}

}  // namespace clocks_test
}  // namespace ridgeline::analysis
