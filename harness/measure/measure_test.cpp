#include "harness/measure/measure.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace measure_test {

TEST(Experiment, ConstantTimesStopAtTheMinimum) {
  Bench bench;
  Experiment experiment = bench.prepare();
  EXPECT_EQ(experiment.sample({0.01, 12, 1000, 1e12}).size(), 12u);
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::ok);
  EXPECT_EQ(measured.reason, "");
  EXPECT_EQ(measured.samples_ns, std::vector<double>(12, 100e3));
  EXPECT_EQ(*measured.median_ns, 100e3);
  EXPECT_EQ(*measured.relative_spread, 0.0);
  EXPECT_EQ(measured.executions_per_sample, 1);
  EXPECT_EQ(measured.timed_ns, 12 * 100e3);
  EXPECT_EQ(measured.launch, "loop");
  EXPECT_EQ(measured.cache, "cold");
  EXPECT_EQ(measured.flops, 8);
  EXPECT_TRUE(measured.verification->right());
  for (double part : {measured.prepare_ns, measured.verify_ns, measured.warmup_ns})
    EXPECT_GT(part, 0);
  EXPECT_GE(measured.total_ns, measured.prepare_ns + measured.verify_ns + measured.warmup_ns);
}

TEST(Experiment, NoisyTimesStopAtTheTargetBetweenMinimumAndMaximum) {
  Bench bench;
  bench.ns = [](std::int64_t i) { return noisy(i, 0.05); };
  const std::size_t loose = bench.prepare().sample({0.02, 6, 100'000, 1e15}).size();
  const std::size_t tight = bench.prepare().sample({0.005, 6, 100'000, 1e15}).size();
  EXPECT_GT(loose, 6u);
  EXPECT_GT(tight, 4 * loose);  // the interval narrows with the root of the count
  EXPECT_LT(tight, 100'000u);
  EXPECT_EQ(bench.prepare().sample({0.0, 6, 50, 1e15}).size(), 50u);
}

TEST(Experiment, TheBudgetEndsSamplingBeforeItIsExceededButNotWithoutASample) {
  Bench bench;
  bench.ns = [](std::int64_t) { return 10e9; };  // seconds, so that wall time of this test does not
                                                 // matter
  EXPECT_EQ(bench.prepare().sample({0.0, 10, 1000, 45e9}).size(), 4u);
  EXPECT_EQ(bench.prepare().sample({0.0, 10, 1000, 1e9}).size(), 1u);
}

TEST(Experiment, SamplingInTurnCollectsAllSamples) {
  Bench bench;
  Experiment experiment = bench.prepare();
  EXPECT_EQ(experiment.sample({0.01, 6, 10, 1e12}).size(), 6u);
  EXPECT_EQ(experiment.sample({0.01, 3, 10, 1e12}).size(), 3u);
  EXPECT_EQ(experiment.finish().samples_ns.size(), 9u);
}

TEST(Experiment, ADeviceThatFailsIsAnError) {
  Bench bench;
  bench.ns = [](std::int64_t execution) -> double {
    if (execution > 30)
      throw Error(ErrorKind::dependency, "synchronising failed: cudaErrorIllegalAddress");
    return 100e3;
  };
  Experiment experiment = bench.prepare();
  EXPECT_THROW(experiment.sample({0.0, 100, 100, 1e12}), Error);
}

TEST(Experiment, WorkThatACaseDoesNotDoIsAbsent) {
  for (const bool computes : {false, true}) {
    Bench bench;
    bench.flops = computes ? 8 : 0;
    bench.bytes = computes ? 0 : 16;
    Experiment experiment = bench.prepare();
    experiment.sample({});
    const record::Measurement measured = experiment.finish();
    EXPECT_EQ(measured.flops, computes ? std::optional<double>(8) : std::nullopt);
    EXPECT_EQ(measured.bytes, computes ? std::nullopt : std::optional<double>(16));
  }
}

TEST(Experiment, SaysWhatTheKernelsOfAGraphNeed) {
  for (const auto launch : {device::Launch::graph, device::Launch::single}) {
    Bench bench;
    bench.device.loaded = {{40, 16, 0}, {32, 0, 128}};
    bench.options.launch = launch;
    Experiment experiment = bench.prepare();
    experiment.sample({});
    const record::Measurement measured = experiment.finish();
    if (launch == device::Launch::single) {
      EXPECT_TRUE(measured.metrics.empty());
      continue;
    }
    ASSERT_EQ(measured.metrics.size(), 3u);
    EXPECT_EQ(measured.metrics[0].name, "registers");
    EXPECT_EQ(measured.metrics[0].value, 40);
    EXPECT_EQ(measured.metrics[1].name, "local_bytes");
    EXPECT_EQ(measured.metrics[2].value, 128);
  }
}

TEST(Experiment, MetricsThatFollowFromTheTimeAreTakenFromTheMedian) {
  Bench bench;
  bench.timed_metrics = [](double median_ns) {
    return std::vector<record::Metric>{
        {"rate", 16e9 / median_ns, "B/s", record::Direction::higher}};
  };
  Experiment experiment = bench.prepare();
  experiment.sample({});
  const record::Measurement measured = experiment.finish();
  ASSERT_EQ(measured.metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(measured.metrics[0].value, 16e9 / *measured.median_ns);
  EXPECT_DOUBLE_EQ(*measured.median_ns, 100e3);
}

}  // namespace measure_test
}  // namespace ridgeline::measure
