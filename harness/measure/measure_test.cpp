#include "harness/measure/measure.hpp"

#include <barrier>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/fake/fake_device.hpp"
#include "harness/device/random.hpp"
#include "harness/measure/batches.hpp"

namespace ridgeline::measure {
namespace {

/// A fake device whose batches launch what `rewritten` makes of the launches: a graph that does not
/// do what was recorded.
class RecordingDevice final : public device::FakeDevice {
 public:
  using Launches = std::function<void(device::Stream&)>;
  using FakeDevice::FakeDevice;
  std::unique_ptr<device::Batch> record(Launches launches, device::Launch mode) override {
    return FakeDevice::record(rewritten(std::move(launches)), mode);
  }
  std::vector<device::LoadedKernel> kernels_of(const Launches&) override { return loaded; }
  std::vector<device::LoadedKernel> loaded;
  std::function<Launches(Launches)> rewritten = [](Launches launches) { return launches; };

  const device::Facts& facts() const override {
    return passes_for_ ? *passes_for_ : FakeDevice::facts();
  }
  void pass_for(device::Kind kind) {
    passes_for_ = FakeDevice::facts();
    passes_for_->kind = kind;
  }

 private:
  std::optional<device::Facts> passes_for_;
};

/// A case on the fake device: each execution writes a value to its output, which for set s of the
/// inputs should be 1 + s. Time comes from `ns`, asked once an execution.
struct Bench {
  std::function<double(std::int64_t execution)> ns = [](std::int64_t) { return 100e3; };
  /// What is written in place of 1; set s adds s.
  std::function<float(std::int64_t execution)> output = [](std::int64_t) { return 1.0f; };
  std::function<device::Reading(std::int64_t)> reading = [](std::int64_t) {
    return device::Reading{};
  };
  std::function<Checked()> checked = [] { return Checked::whole; };
  std::function<std::vector<record::Metric>(double)> timed_metrics;
  double flops = 8, bytes = 16;
  Sets sets;
  std::optional<std::size_t> skipped;  // inputs whose launches do nothing
  PrepareOptions options;

  std::vector<Turn> order;   // of executions
  std::vector<Turn> judged;  // outputs that were compared
  std::int64_t executed = 0;
  double elapsed = 0;  // of executions not yet handed to a batch
  Group alone;
  Group* group = &alone;
  RecordingDevice device{{[this](std::int64_t) { return std::exchange(elapsed, 0.0); },
                          [this](std::int64_t i) { return reading(i); }, 1u << 30}};
  InputPool inputs{device, 1};

  Bench() {
    options.warmup_budget_ns = 20e6;
    options.sample_floor_ns = 100e3;
  }

  Experiment prepare() {
    const auto make = [this](Setup& setup) {
      auto outputs = std::make_shared<std::vector<device::Buffer<float>>>();
      for (std::size_t set = 0; set < sets.outputs; ++set) outputs->emplace_back(setup.device, 4);
      Workload workload;
      workload.flops = flops;
      workload.bytes = bytes;
      workload.sets = sets;
      workload.timed_metrics = timed_metrics;
      workload.launch = [this, outputs](Turn turn, device::Stream&) {
        if (turn.inputs == skipped) return;
        const float value = output(executed) + static_cast<float>(turn.inputs);
        if (!std::isnan(value))
          for (int i = 0; i < 4; ++i) (*outputs)[turn.output].data()[i] = value;
        elapsed += ns(executed++);
        order.push_back(turn);
      };
      workload.poison = [outputs](std::size_t output) { (*outputs)[output].poison(); };
      workload.verify = [this, outputs](Turn turn) {
        judged.push_back(turn);
        const double expected = 1.0 + static_cast<double>(turn.inputs);
        return record::Verification{std::fabs((*outputs)[turn.output].download()[3] - expected),
                                    1e-6, checked()};
      };
      return workload;
    };
    Experiment experiment(make, Setup{device, inputs, *group}, options);
    elapsed = 0;
    return experiment;
  }
};

double noisy(std::int64_t execution, double sigma) {
  return 100e3 * (1 + sigma * device::random_uniform(7, static_cast<std::uint64_t>(execution)));
}

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

TEST(Experiment, AnOutputThatIsNotWrittenIsWrongBeforeTiming) {
  Bench bench;
  bench.output = [](std::int64_t) { return NAN; };
  Experiment experiment = bench.prepare();
  EXPECT_EQ(experiment.outcome(), record::Outcome::wrong_result);
  EXPECT_EQ(bench.executed, 1);
  EXPECT_THROW(experiment.sample({}), Error);
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::wrong_result);
  EXPECT_EQ(measured.reason,
            "before timing the output was not written, or holds values that are not numbers");
  EXPECT_FALSE(measured.verification->right());
}

TEST(Experiment, AnOutputThatGoesWrongWhileTimingLosesItsTimes) {
  Bench bench;
  bench.output = [](std::int64_t execution) { return execution < 20 ? 1.0f : 1.5f; };
  Experiment experiment = bench.prepare();
  ASSERT_EQ(experiment.outcome(), record::Outcome::ok);
  experiment.sample({0.0, 30, 30, 1e12});
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::wrong_result);
  EXPECT_EQ(measured.reason,
            "while timing the output differed from the oracle's: error 0.5, tolerance 1e-06");
  EXPECT_TRUE(measured.samples_ns.empty());
  EXPECT_FALSE(measured.median_ns);
  EXPECT_EQ(measured.verification->error, 0.5);
}

TEST(Experiment, AnOutputThatIsNoLongerWrittenIsNotTakenForTheOldOne) {
  Bench bench;
  bench.output = [](std::int64_t execution) { return execution < 20 ? 1.0f : NAN; };
  Experiment experiment = bench.prepare();
  experiment.sample({0.0, 30, 30, 1e12});
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.reason,
            "after timing the output was not written, or holds values that are not numbers");
  EXPECT_TRUE(std::isnan(measured.verification->error));
}

TEST(Experiment, ABatchThatDoesNothingIsWrong) {
  Bench bench;
  bench.ns = [](std::int64_t) { return 1000.0; };
  bench.device.rewritten = [&](const RecordingDevice::Launches&) {
    return [&](device::Stream&) { bench.elapsed += 100e3; };
  };
  Experiment experiment = bench.prepare();
  ASSERT_EQ(experiment.outcome(), record::Outcome::ok);
  experiment.sample({0.0, 30, 30, 1e12});
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::wrong_result);
  EXPECT_EQ(measured.reason,
            "while timing the output was not written, or holds values that are not numbers");
  EXPECT_TRUE(measured.samples_ns.empty());
  EXPECT_FALSE(measured.verification->right());
}

TEST(Experiment, ABatchThatSkipsItsLastSetIsWrong) {
  for (bool skips : {true, false}) {
    Bench bench;
    bench.sets = {4, 4};
    bench.ns = [](std::int64_t) { return 1000.0; };
    bench.device.rewritten = [&](RecordingDevice::Launches launches) -> RecordingDevice::Launches {
      return [&bench, skips, launches = std::move(launches)](device::Stream& stream) {
        if (skips) bench.skipped = 3;
        launches(stream);
        bench.skipped.reset();
      };
    };
    Experiment experiment = bench.prepare();
    experiment.sample({0.0, 30, 30, 1e12});
    const record::Measurement measured = experiment.finish();
    EXPECT_EQ(measured.outcome, skips ? record::Outcome::wrong_result : record::Outcome::ok)
        << measured.reason;
    EXPECT_GE(measured.executions_per_sample, 100);
  }
}

TEST(Experiment, SetsThatNoSampleReachedAreNotTakenForWrong) {
  Bench bench;
  bench.sets = {8, 8};
  bench.ns = [](std::int64_t) { return 10e9; };  // each set is a batch of its own, and warming up
                                                 // ends at once
  Experiment experiment = bench.prepare();
  experiment.sample({0.0, 2, 2, 1e12});
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::ok) << measured.reason;
}

TEST(Experiment, TheLargerErrorIsKept) {
  for (bool first : {true, false}) {
    Bench bench;
    bench.output = [=](std::int64_t execution) {
      return (execution == 0) == first ? 1.0f + 0x1p-22f : 1.0f;
    };
    Experiment experiment = bench.prepare();
    experiment.sample({});
    EXPECT_EQ(experiment.finish().verification->error, 0x1p-22);
  }
}

TEST(Experiment, TheLeastThatWasComparedIsKept) {
  for (const std::size_t whole : {0, 1, 2}) {
    Bench bench;
    std::size_t compared = 0;
    bench.checked = [&] { return compared++ == whole ? Checked::whole : Checked::sample; };
    Experiment experiment = bench.prepare();
    experiment.sample({});
    EXPECT_EQ(experiment.finish().verification->checked, Checked::sample) << whole;
    EXPECT_EQ(compared, 4u);
  }
}

TEST(Experiment, OnACpuTheSeedPrefersSomeInputsToCompareHoweverManySamplesThereAre) {
  const auto compared = [](std::uint64_t seed) {
    std::set<std::size_t> inputs;
    for (int samples = 40; samples < 72; ++samples) {
      Bench bench;
      bench.device.pass_for(device::Kind::cpu);
      bench.sets = {16, 16};
      bench.ns = [](std::int64_t) { return 10e6; };  // each set is a batch of its own
      bench.options.seed = seed;
      Experiment experiment = bench.prepare();
      experiment.sample({0.0, samples, samples, 1e12});
      EXPECT_EQ(experiment.finish().outcome, record::Outcome::ok);
      EXPECT_EQ(bench.judged.size(), 6u);  // before, two while and two after timing, the last set
      for (const Turn& turn : bench.judged) inputs.insert(turn.inputs);
    }
    return inputs;
  };
  EXPECT_LE(compared(1).size(), 9u);  // all 16 where the newest output is one of them
  EXPECT_NE(compared(1), compared(2));
}

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

TEST(Experiment, TheVerifiedExecutionsAreOfTheFirstAndTheLastInputs) {
  Bench bench;
  bench.sets = {3, 3};
  Experiment experiment = bench.prepare();
  EXPECT_EQ(bench.order.front(), Turn{});
  experiment.sample({});
  experiment.finish();
  EXPECT_EQ(bench.order.back(), (Turn{2, 0}));
}

TEST(Experiment, EverySetIsExecutedOnceMoreAfterTiming) {
  for (const Sets sets : {Sets{2, 1}, Sets{8, 8}}) {
    Bench bench;
    bench.sets = sets;
    Experiment experiment = bench.prepare();
    experiment.sample({0.0, 11, 11, 1e12});
    bench.order.clear();
    EXPECT_EQ(experiment.finish().outcome, record::Outcome::ok);
    EXPECT_EQ(bench.order.size(), sets.outputs + 1);
  }
}

TEST(Experiment, AnOutputThatIsRememberedIsWrong) {
  for (const Sets sets : {Sets{2, 1}, Sets{4, 4}, Sets{3, 3}}) {
    for (const Cache cache : {Cache::hot, Cache::cold}) {
      for (const int samples : {30, 31, 32}) {
        if (cache == Cache::hot && sets.outputs > 1) continue;
        Bench bench;
        bench.sets = sets;
        bench.options.cache = cache;
        bench.ns = [](std::int64_t) { return 1000.0; };
        // A batch that comes again writes nothing any more: what it left was right.
        bench.device.rewritten =
            [&](RecordingDevice::Launches launches) -> RecordingDevice::Launches {
          return
              [&bench, launches = std::move(launches), seen = 0](device::Stream& stream) mutable {
                const bool remembered = ++seen > 2;
                bench.output = [=](std::int64_t) { return remembered ? NAN : 1.0f; };
                launches(stream);
                bench.output = [](std::int64_t) { return 1.0f; };
              };
        };
        Experiment experiment = bench.prepare();
        experiment.sample({0.0, samples, samples, 1e12});
        EXPECT_EQ(experiment.finish().outcome, record::Outcome::wrong_result)
            << sets.inputs << " sets, " << samples << " samples";
      }
    }
  }
}

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
  // Once the samples are taken, all steps but the first and the last ones fall into the stretch.
  ASSERT_GT(steps.size(), sampled + 8);
  const Step &first = steps[sampled + 2], &last = steps[steps.size() - 3];
  const double expected_ns = (last.ns - first.ns) / (last.executions - first.executions);
  EXPECT_NEAR(time_ns, expected_ns, 0.2 * expected_ns);
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

TEST(Experiment, MemoryIsSampledWithoutWhatIsThereToRotateOver) {
  for (const bool filled : {false, true}) {  // the pool, by a case before
    device::FakeDevice device;
    InputPool inputs(device, 1);
    Group alone;
    if (filled) {
      inputs.take(DType::f32, device::Distribution::uniform, 1 << 21);
      inputs.rewind();
    }
    PrepareOptions options;
    options.warmup_budget_ns = 1e6;
    std::shared_ptr<device::Buffer<std::byte>> taken_by_a_library, taken_by_an_oracle;
    Experiment experiment(
        [&](measure::Setup& setup) {
          for (int set = 0; set < 2; ++set)
            setup.inputs.take(DType::f32, device::Distribution::uniform, 1 << 10);
          const auto output = std::make_shared<device::Buffer<float>>(setup.device, 1 << 11);
          Workload workload;
          workload.sets = {2, 1};
          workload.spare_bytes = 4 << 10;
          workload.samples_memory = true;
          workload.launch = [&, output](Turn, device::Stream&) {
            if (!taken_by_a_library)
              taken_by_a_library = std::make_shared<device::Buffer<std::byte>>(device, 1 << 16);
          };
          workload.poison = [](std::size_t) {};
          workload.verify = [&](Turn) {
            if (!taken_by_an_oracle)
              taken_by_an_oracle = std::make_shared<device::Buffer<std::byte>>(device, 1 << 18);
            return record::Verification{0, 1};
          };
          return workload;
        },
        measure::Setup{device, inputs, alone}, options);
    experiment.sample({0.01, 6, 6, 1e9});
    const record::Measurement measured = experiment.finish();
    ASSERT_EQ(measured.metrics.size(), 1u);
    EXPECT_EQ(measured.metrics[0].name, "allocated_bytes");
    EXPECT_EQ(measured.metrics[0].value, (4 << 10) + (8 << 10) + (1 << 16)) << filled;
    taken_by_a_library.reset();
    taken_by_an_oracle.reset();
  }
}

TEST(Experiment, MemoryThatAnotherProgramHasFreedMeanwhileLeavesNothingToSay) {
  device::FakeDevice device;
  InputPool inputs(device, 1);
  Group alone;
  auto of_another_program = std::make_shared<device::Buffer<std::byte>>(device, 1 << 20);
  PrepareOptions options;
  options.warmup_budget_ns = 1e6;
  Experiment experiment(
      [&](measure::Setup&) {
        Workload workload;
        workload.samples_memory = true;
        workload.launch = [&](Turn, device::Stream&) { of_another_program.reset(); };
        workload.poison = [](std::size_t) {};
        workload.verify = [](Turn) { return record::Verification{0, 1}; };
        return workload;
      },
      measure::Setup{device, inputs, alone}, options);
  experiment.sample({0.01, 6, 6, 1e9});
  EXPECT_TRUE(experiment.finish().metrics.empty());
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

/// Two threads as a group; rank 0's word counts.
class Pair : public Group {
 public:
  struct Meeting {
    std::barrier<> together{2};
    double values[2] = {};
    const void* bytes = nullptr;
  };
  Pair(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int size() const override { return 2; }
  int rank() const override { return rank_; }
  void barrier() override { meeting_.together.arrive_and_wait(); }
  double max(double value) override {
    meeting_.values[rank_] = value;
    barrier();
    const double most = std::max(meeting_.values[0], meeting_.values[1]);
    barrier();
    return most;
  }
  void broadcast(void* bytes, std::size_t count) override {
    if (rank_ == 0) meeting_.bytes = bytes;
    barrier();
    if (rank_ != 0) std::memcpy(bytes, meeting_.bytes, count);
    barrier();
  }

 private:
  Meeting& meeting_;
  int rank_;
};

TEST(Experiment, RanksStopTogetherAndTheSlowestCounts) {
  for (bool wrong : {false, true}) {
    Pair::Meeting meeting;
    record::Measurement measured[2];
    const auto rank = [&](int index) {
      Pair pair(meeting, index);
      Bench bench;
      bench.group = &pair;
      bench.ns = [index](std::int64_t i) {
        return noisy(i, 0.05) * (index == 1 ? 2 : 1) * (i % 2 == index ? 1 : 1.5);
      };
      if (wrong && index == 1) bench.output = [](std::int64_t) { return 3.0f; };
      Experiment experiment = bench.prepare();
      if (experiment.outcome() == record::Outcome::ok)
        experiment.sample({0.01, 6, 5000, index == 0 ? 5e9 : 1e6});  // rank 0 decides
      measured[index] = experiment.finish();
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
    EXPECT_EQ(measured[0].outcome, wrong ? record::Outcome::wrong_result : record::Outcome::ok);
    EXPECT_EQ(measured[0].outcome, measured[1].outcome);
    EXPECT_EQ(measured[0].samples_ns, measured[1].samples_ns);
    EXPECT_EQ(measured[0].executions_per_sample, measured[1].executions_per_sample);
    if (wrong) continue;
    EXPECT_GT(measured[0].samples_ns.size(), 6u);
    for (double ns : measured[0].samples_ns) EXPECT_GE(ns, 1.9 * 100e3);
  }
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

/// A fake device that allocates from the start of its memory to the end.
class ArenaDevice final : public device::FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    used_ += (bytes + 255) / 256 * 256;
    return arena_.data() + used_ - (bytes + 255) / 256 * 256;
  }
  void release(void*) noexcept override { ++released; }
  std::ptrdiff_t place(const void* memory) const {
    return static_cast<const std::byte*>(memory) - arena_.data();
  }
  int released = 0;

 private:
  std::vector<std::byte> arena_ = std::vector<std::byte>(1u << 20);
  std::size_t used_ = 0;
};

TEST(Experiment, ALayoutMovesTheBuffersOfACaseWhileItLives) {
  EXPECT_EQ(layout_bytes(0), 0u);
  EXPECT_EQ(layout_bytes(1), 512u);
  EXPECT_EQ(layout_bytes(255), 65536u);
  EXPECT_EQ(layout_bytes(256 + 7), layout_bytes(7));
  for (const std::uint64_t layout : {0, 1, 255, 1000}) {
    ArenaDevice device;
    InputPool inputs(device, 1);
    Group alone;
    PrepareOptions options;
    options.warmup_budget_ns = 1e6;
    options.layout = layout;
    std::ptrdiff_t place = -1;
    std::uint64_t told = 1;
    {
      const Experiment experiment(
          [&](measure::Setup& setup) {
            told = setup.layout;
            auto output = std::make_shared<device::Buffer<float>>(setup.device, 4);
            place = device.place(output->data());
            Workload workload;
            workload.launch = [output](Turn, device::Stream&) {};
            workload.poison = [](std::size_t) {};
            workload.verify = [](Turn) { return record::Verification{0, 1}; };
            return workload;
          },
          measure::Setup{device, inputs, alone}, options);
      EXPECT_EQ(device.released, 0);
    }
    EXPECT_EQ(told, layout);
    EXPECT_EQ(place, static_cast<std::ptrdiff_t>(layout_bytes(layout)));
    EXPECT_EQ(device.released, layout == 0 ? 1 : 2);
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

}  // namespace
}  // namespace ridgeline::measure
