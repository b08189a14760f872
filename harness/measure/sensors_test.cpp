#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "harness/measure/batches.hpp"
#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace sensors_test {

TEST(Experiment, SensorsAreReadWhileSampling) {
  Bench bench;
  std::int64_t readings = 0;
  bench.reading = [&](std::int64_t) {
    ++readings;
    return device::Reading{};
  };
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_GE(readings, 2);       // before and after
  EXPECT_LT(readings, 2 + 10);  // but not at every sample: reading costs time
  const std::int64_t before = readings;
  bench.ns = [](std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return 20e6;
  };
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_GE(readings, before + 2 + 2);  // 200 ms
}

TEST(Experiment, ThrottlingOrANeighbourInvalidatesButKeepsTheSamples) {
  struct Row {
    record::Outcome outcome;
    const char* reason;
    std::optional<double> clock;
    std::string throttle;
    bool by_hardware;
    std::optional<int> neighbours;
  };
  const Row rows[] = {
      {record::Outcome::ok, "", 1980, "sw_power_cap", false, {}},
      {record::Outcome::invalid_environment,
       "the hardware throttled while the case was timed (hw_slowdown)",
       {},
       "hw_slowdown",
       true,
       {}},
      {record::Outcome::invalid_environment,
       "2 other processes used the device while the case was timed",
       {},
       "",
       false,
       2},
      {record::Outcome::ok, "", {}, "", false, 0},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.reading = [&](std::int64_t i) {
      device::Reading reading;
      if (i != 1) return reading;  // one reading of several is enough
      reading.sm_clock_mhz = row.clock;
      reading.throttle = row.throttle;
      reading.throttled_by_hardware = row.by_hardware;
      reading.other_processes = row.neighbours;
      return reading;
    };
    Experiment experiment = bench.prepare();
    experiment.sample({});
    const record::Measurement measured = experiment.finish();
    EXPECT_EQ(measured.outcome, row.outcome) << row.reason;
    EXPECT_EQ(measured.reason, row.reason);
    EXPECT_EQ(measured.telemetry.throttle, row.throttle);
    EXPECT_EQ(measured.telemetry.sm_clock_mhz, row.clock);
    EXPECT_FALSE(measured.samples_ns.empty());
    EXPECT_TRUE(measured.median_ns);
  }
}

TEST(Experiment, WhatIsSustainedComesFromWholeStepsOfTheEnergyCounter) {
  Bench bench;
  bench.options.energy_budget_ns = 50e6;
  bench.ns = [](std::int64_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return 1e6;
  };
  // 2 J an execution, which the counter shows when another 64 J are full; the clock falls a MHz
  // with each step. The newest steps as whoever looks at the counter sees them.
  struct Step {
    double energy_j, executions, ns, sm_clock_mhz;
  };
  std::vector<Step> steps;
  const Stopwatch wall;
  bench.reading = [&](std::int64_t) {
    const auto executed = static_cast<double>(bench.executed);
    device::Reading reading;
    reading.energy_j = 1e6 + std::floor(2.0 * executed / 64) * 64;
    if (steps.empty() || *reading.energy_j != steps.back().energy_j)
      steps.push_back(
          {*reading.energy_j, executed, wall.ns(), 1900 - static_cast<double>(steps.size())});
    reading.sm_clock_mhz = steps.back().sm_clock_mhz;
    return reading;
  };
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 6, 6, 1e9});
  const std::size_t sampled = steps.size();
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::ok) << measured.reason;
  std::vector<std::string> names;
  std::map<std::string, record::Metric> by_name;
  for (const record::Metric& metric : measured.metrics) {
    names.push_back(metric.name);
    by_name[metric.name] = metric;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"energy", "flops_per_joule", "bytes_per_joule",
                                      "sustained_time", "sustained_power", "sustained_sm_clock"}));
  const double energy_j = by_name["energy"].value, time_ns = by_name["sustained_time"].value,
               power_w = by_name["sustained_power"].value;
  EXPECT_NEAR(energy_j, 2.0, 0.1);
  EXPECT_NEAR(by_name["flops_per_joule"].value, 8 / energy_j, 1e-9);
  EXPECT_NEAR(power_w * time_ns * 1e-9, energy_j, 1e-9 * energy_j) << "J is not W times s";
  // Once the samples are taken, all steps but the first and the last ones fall into the stretch:
  // which of those it begins and ends with is not known here, and a machine that is busy may stop
  // this process at any of them.
  ASSERT_GT(steps.size(), sampled + 8);
  const Step &first = steps[sampled + 2], &last = steps[steps.size() - 3];
  double least_ns = std::numeric_limits<double>::max(), most_ns = 0;
  for (std::size_t begin = sampled; begin <= sampled + 4; ++begin)
    for (std::size_t end = steps.size() - 4; end < steps.size(); ++end) {
      const double ns =
          (steps[end].ns - steps[begin].ns) / (steps[end].executions - steps[begin].executions);
      least_ns = std::min(least_ns, ns);
      most_ns = std::max(most_ns, ns);
    }
  EXPECT_GT(time_ns, 0.8 * least_ns);
  EXPECT_LT(time_ns, 1.2 * most_ns);
  EXPECT_LT(by_name["sustained_sm_clock"].value, first.sm_clock_mhz);
  EXPECT_GT(by_name["sustained_sm_clock"].value, last.sm_clock_mhz);
  EXPECT_EQ(by_name["sustained_time"].unit + by_name["sustained_power"].unit +
                by_name["sustained_sm_clock"].unit,
            "nsWMHz");
}

TEST(Experiment, ADeviceThatSaysNoClockSustainsNone) {
  Bench bench;
  bench.options.energy_budget_ns = 5e6;
  bench.reading = [&](std::int64_t) {
    device::Reading reading;
    reading.energy_j = static_cast<double>(bench.executed);
    return reading;
  };
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 6, 6, 1e9});
  const record::Measurement measured = experiment.finish();
  ASSERT_EQ(measured.metrics.size(), 5u);
  EXPECT_EQ(measured.metrics.back().name, "sustained_power");
}

TEST(Experiment, ACounterThatHardlyMovesSaysNoEnergy) {
  for (const double step_j : {0.0, 1e9}) {
    Bench bench;
    bench.options.energy_budget_ns = 5e6;
    bench.reading = [&](std::int64_t) {
      device::Reading reading;
      reading.energy_j = std::floor(static_cast<double>(bench.executed) / 1e9) * step_j;
      return reading;
    };
    Experiment experiment = bench.prepare();
    experiment.sample({0.01, 6, 6, 1e9});
    EXPECT_TRUE(experiment.finish().metrics.empty());
  }
}

}  // namespace sensors_test
}  // namespace ridgeline::measure
