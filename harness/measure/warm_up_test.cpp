#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "harness/measure/batches.hpp"
#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace warm_up_test {

TEST(Experiment, WarmingUpEndsWhenTimesAreSteadyOrItsBudgetIsSpent) {
  Bench steady;
  steady.options.warmup_budget_ns = 1e9;
  steady.prepare();
  const std::int64_t quick = steady.executed;
  EXPECT_LT(quick,
            1200);  // two windows, each a twentieth of the budget, and what finds the batch size

  Bench drifting;
  drifting.options.warmup_budget_ns = 1e9;
  drifting.ns = [](std::int64_t i) {
    return 100e3 * (1 + 10.0 / (1.0 + static_cast<double>(i) / 300));
  };
  drifting.prepare();
  EXPECT_GT(drifting.executed, 1500);

  Bench wild;
  wild.ns = [](std::int64_t i) { return 100e3 * std::pow(1.001, static_cast<double>(i)); };
  wild.options.warmup_budget_ns = 1e9;
  double sum = 0;
  const auto script = wild.ns;
  wild.ns = [&](std::int64_t i) { return sum += script(i), script(i); };
  wild.prepare();
  EXPECT_LE(sum, 1.01e9);
  EXPECT_GT(sum, 0.9e9);
}

TEST(Experiment, SaysWhetherWarmingUpHadSettled) {
  Bench steady;
  steady.options.warmup_budget_ns = 1e9;
  Experiment settled = steady.prepare();
  settled.sample({});
  EXPECT_EQ(settled.finish().settled, true);

  Bench wild;
  wild.ns = [](std::int64_t i) { return 100e3 * std::pow(1.01, static_cast<double>(i)); };
  Experiment not_settled = wild.prepare();
  not_settled.sample({});
  EXPECT_EQ(not_settled.finish().settled, false);
}

TEST(Experiment, ADeviceSettlesWhenItsClockAndPowerDo) {
  for (const bool steady : {true, false}) {
    Bench bench;
    bench.options.settle_budget_ns = 1.1e9;
    std::int64_t readings = 0;
    bench.reading = [&](std::int64_t) {
      device::Reading reading;
      reading.sm_clock_mhz = 1980;
      reading.power_w = steady ? 500 : 100.0 * static_cast<double>(++readings);
      return reading;
    };
    bench.options.warmup_budget_ns = 1e9;
    bench.ns = [](std::int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return 5e6;
    };
    const Stopwatch wall;
    Experiment experiment = bench.prepare();
    EXPECT_GE(wall.ns(), 0.5e9);
    experiment.sample({0.01, 6, 6, 1e9});
    EXPECT_EQ(experiment.finish().settled, steady);
  }
}

}  // namespace warm_up_test
}  // namespace ridgeline::measure
