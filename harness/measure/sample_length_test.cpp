#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace sample_length_test {

TEST(Experiment, ShortExecutionsShareASample) {
  Bench bench;
  bench.ns = [](std::int64_t) { return 1000.0; };
  Experiment experiment = bench.prepare();
  const std::vector<double> samples = experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_EQ(samples, std::vector<double>(10, 1000.0));  // of one execution, not of a sample
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.executions_per_sample, 100);
  EXPECT_EQ(measured.timed_ns, 1e6);

  bench.options.launch = device::Launch::single;
  Experiment single = bench.prepare();
  single.sample({0.01, 10, 10, 1e12});
  const record::Measurement alone = single.finish();
  EXPECT_EQ(alone.executions_per_sample, 1);
  EXPECT_EQ(alone.launch, "single");
}

TEST(Experiment, ALaunchOverheadDoesNotMakeSamplesTooShort) {
  Bench bench;
  // 9 us once per batch.
  bench.ns = [&](std::int64_t) { return (bench.elapsed == 0 ? 9000.0 : 0.0) + 1000.0; };
  bench.options.sample_floor_ns = 200e3;
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_GE(experiment.finish().executions_per_sample, 180);
}

TEST(Experiment, AFirstExecutionThatIsSlowDoesNotDecideOnTheSamples) {
  Bench bench;
  bench.ns = [](std::int64_t execution) {
    if (execution == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // beyond the warm-up budget
    return execution == 1 ? 4e6 : 1000.0;
  };
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_EQ(experiment.finish().executions_per_sample, 100);
}

TEST(Experiment, SlowFirstExecutionsInARowDoNotEither) {
  Bench bench;
  bench.ns = [](std::int64_t execution) { return execution < 3 ? 4e6 : 1000.0; };
  bench.options.warmup_budget_ns = 1e9;
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_EQ(experiment.finish().executions_per_sample, 100);
}

TEST(Experiment, SlowFirstExecutionsWithTheDefaultBudgetDoNotEither) {
  for (const double slow : {20e6, 60e6, 300e6}) {
    for (const std::int64_t many : {2, 3}) {
      Bench bench;
      bench.options = PrepareOptions{};
      // Each batch takes wall time too, as ranks do that meet: the budget does not hold a window of
      // short batches.
      bench.ns = [&, slow, many](std::int64_t execution) {
        if (bench.elapsed == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
        return execution < many ? slow : 1000.0;
      };
      Experiment experiment = bench.prepare();
      experiment.sample({0.01, 10, 10, 1e12});
      EXPECT_EQ(experiment.finish().executions_per_sample, 200)
          << many << " executions of " << slow << " ns";
    }
  }
}

TEST(Experiment, SamplingStartsAgainWhenWarmingUpMetSlowExecutionsOnly) {
  Bench bench;
  bench.options = PrepareOptions{};
  bench.ns = [](std::int64_t execution) { return execution < 8 ? 150e6 : 1000.0; };
  Experiment experiment = bench.prepare();
  ASSERT_LE(bench.executed, 8);
  const std::vector<double> samples = experiment.sample({0.01, 10, 10, 1e12});
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(samples, std::vector<double>(10, 1000.0));
  EXPECT_EQ(measured.samples_ns, samples);
  EXPECT_EQ(measured.executions_per_sample, 200);
  EXPECT_EQ(measured.timed_ns, 10 * 200e3);
}

TEST(Experiment, ASampleIsLongEnoughAlsoWhenTheBudgetIsSpentWhileItIsChosen) {
  Bench bench;
  bench.options.warmup_budget_ns = 1e3;  // wall time alone exceeds it
  // 30 us once per batch.
  bench.ns = [&](std::int64_t) { return (bench.elapsed == 0 ? 30e3 : 0.0) + 10.0; };
  Experiment experiment = bench.prepare();
  experiment.sample({0.01, 10, 10, 1e12});
  EXPECT_GE(experiment.finish().timed_ns, 10 * 50e3);
}

}  // namespace sample_length_test
}  // namespace ridgeline::measure
