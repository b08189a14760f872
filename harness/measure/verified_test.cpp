#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace verified_test {

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

TEST(Experiment, OnACpuTheSetsThatAreComparedAloneAreExecutedOnceMore) {
  for (const Sets sets : {Sets{2, 1}, Sets{8, 8}, Sets{64, 64}}) {
    Bench bench;
    bench.device.pass_for(device::Kind::cpu);
    bench.sets = sets;
    Experiment experiment = bench.prepare();
    experiment.sample({0.0, 100, 100, 1e12});
    bench.order.clear();
    bench.judged.clear();
    EXPECT_EQ(experiment.finish().outcome, record::Outcome::ok);
    const std::size_t compared = sets.outputs == 1 ? 1 : 2;
    EXPECT_EQ(bench.order.size(), compared + 1);
    ASSERT_EQ(bench.judged.size(), 2 * compared + 1);
    for (std::size_t i = 0; i < compared; ++i)
      EXPECT_NE(std::ranges::find(bench.order, bench.judged[compared + i]), bench.order.end());
  }
}

class WhatIsRemembered : public testing::TestWithParam<device::Kind> {};

TEST_P(WhatIsRemembered, IsWrong) {
  for (const Sets sets : {Sets{2, 1}, Sets{4, 4}, Sets{3, 3}, Sets{8, 8}}) {
    for (const Cache cache : {Cache::hot, Cache::cold}) {
      for (const int samples : {30, 31, 32}) {
        if (cache == Cache::hot && sets.outputs > 1) continue;
        Bench bench;
        bench.device.pass_for(GetParam());
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

INSTANTIATE_TEST_SUITE_P(Experiment, WhatIsRemembered,
                         testing::Values(device::Kind::cpu, device::Kind::cuda),
                         [](const auto& info) {
                           return std::string(device::to_string(info.param));
                         });

}  // namespace verified_test
}  // namespace ridgeline::measure
