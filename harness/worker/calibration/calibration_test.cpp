#include "harness/worker/calibration/calibration.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/device/random.hpp"
#include "harness/protocol/json.hpp"
#include "harness/worker/calibration/kernels.hpp"

namespace ridgeline::worker::calibration {
namespace calibration_test {

/// The cases of a kind of device, and a device of the kind with inputs, on which they are prepared.
/// Skipped where there is none.
class CalibrationCases : public testing::TestWithParam<device::Kind> {
 protected:
  std::unique_ptr<device::Device> device;
  std::unique_ptr<measure::InputPool> inputs;
  measure::Group alone;

  void SetUp() override {
    const device::Discovery found = device::discover();
    for (const device::Unavailable& missing : found.unavailable)
      if (missing.kind == GetParam()) GTEST_SKIP() << missing.reason;
    for (const device::Facts& facts : found.devices)
      if (facts.kind == GetParam() && !device) device = device::open(facts.id);
    ASSERT_TRUE(device);
    inputs = std::make_unique<measure::InputPool>(*device, 7);
  }

  measure::Workload prepare(const Case& wanted) {
    inputs->rewind();
    measure::Setup setup{*device, *inputs, alone, 7};
    return wanted.prepare(setup);
  }

  /// The units that the case's kernel has counted, after an execution that was not its first.
  double work(const Case& wanted) {
    const measure::Workload workload = prepare(wanted);
    workload.launch({}, device->stream());
    workload.poison(0);
    workload.launch({}, device->stream());
    device->synchronize();
    const record::Verification verification = workload.verify({});
    EXPECT_TRUE(verification.right()) << record::name(wanted.info.id) << ": " << verification.error;
    return workload.timed_metrics(1.0).at(0).value;
  }

  bool can(const Case& wanted) const {
    return wanted.info.device_kind == GetParam() && wanted.supports(device->facts());
  }
};

/// Of each kernel the smallest size.
bool is_small(const Case& wanted) {
  const record::Field size = wanted.info.id.problem.back();
  if (wanted.info.device_kind == DeviceKind::cpu)
    return size == record::Field{"rounds", "20000"} || size == record::Field{"mib", "4"};
  return size == record::Field{"rounds", "10000"} || size == record::Field{"mib", "256"} ||
         size.key == "launches";
}

Planted extra(double percent) { return {.extra_percent = percent}; }

INSTANTIATE_TEST_SUITE_P(Kinds, CalibrationCases,
                         testing::Values(device::Kind::cpu, device::Kind::cuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Calibration, NamesAreWithoutTheExtraWork) {
  std::set<std::string> names, slower;
  for (const Case& each : cases({})) names.insert(record::name(each.info.id));
  for (const Case& each : cases(extra(5))) slower.insert(record::name(each.info.id));
  EXPECT_EQ(names.size(), cases({}).size());
  EXPECT_EQ(names, slower);
  EXPECT_TRUE(names.contains("calibration/compute/f32/threads=1,rounds=20000"));
  EXPECT_TRUE(names.contains("calibration/memory/i32/threads=all,mib=64"));
  EXPECT_TRUE(names.contains("calibration/memory/i32/threads=1,mib=4,launch=single"));
}

TEST_P(CalibrationCases, CountTheExtraWorkToAHundredthOfAPercent) {
  const std::vector<Case> plain = cases({});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!is_small(plain[i]) || !can(plain[i])) continue;
    const double before = work(plain[i]);
    ASSERT_GE(before, 1000);
    for (const double percent : {-3.0, 0.5, 1.0, 10.0})
      EXPECT_NEAR(work(cases(extra(percent))[i]) / before, 1 + percent / 100, 1e-4)
          << record::name(plain[i].info.id) << " with " << percent;
  }
}

TEST_P(CalibrationCases, AreRightInEverySize) {
  for (const Case& each : cases(extra(2)))
    if (!is_small(each) && can(each)) {
      EXPECT_GT(work(each), 0);
    }
}

TEST_P(CalibrationCases, WithoutAnExecutionAreWrong) {
  for (const Case& each : cases({})) {
    if (!is_small(each) || !can(each)) continue;
    const measure::Workload workload = prepare(each);
    workload.poison(0);
    device->synchronize();
    EXPECT_FALSE(workload.verify({}).right()) << record::name(each.info.id);
    EXPECT_EQ(workload.timed_metrics(1.0).at(0).value, 0);
  }
}

TEST(CalibrationKernels, ValuesMoveByTheRoundsTheyWereTakenThrough) {
  for (const std::int64_t rounds : {0, 1, 1000, 200'001}) {
    float values[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      values[lane] = static_cast<float>(lane - 24) * round_step;
    advance(values, rounds, 1.0f);
    for (int lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(values[lane] / round_step, static_cast<float>(lane - 24 + rounds)) << lane;
  }
}

TEST(CalibrationKernels, BlocksAreReadInARowAndFromTheStartAgain) {
  std::vector<std::uint32_t> words(3 * words_of_block);
  for (std::size_t block = 0; block < 3; ++block)
    for (std::size_t i = 0; i < words_of_block; ++i)
      words[block * words_of_block + i] = 1u << (8 * block);  // a block adds 64 of its own digit
  const Counted two = read_blocks(words, 2, 2);
  EXPECT_EQ(two.units, 2);
  EXPECT_EQ(two.sum, 0x400040u);
  EXPECT_EQ(read_blocks(words, 1, 3).sum, 0x404040u);
  EXPECT_EQ(read_blocks(words, 0, 0).units, 0);
}

TEST(CalibrationKernels, GatheredWordsGoOnWhereTheLastExecutionEnded) {
  std::vector<std::uint32_t> words(1024);
  std::iota(words.begin(), words.end(), 0u);
  const Counted both = gather_words(words, 5, 0, 30), first = gather_words(words, 5, 0, 10),
                rest = gather_words(words, 5, 10, 20);
  EXPECT_EQ(both.units, first.units + rest.units);
  EXPECT_EQ(both.sum, first.sum + rest.sum);
  EXPECT_NE(gather_words(words, 6, 0, 30).sum, both.sum);
}

TEST_P(CalibrationCases, ExecutionsThatAreSlowAreRight) {
  const Planted planted{.slow_samples = {1, 3}, .slow_processes = {1, 10}};
  const std::vector<Case> plain = cases({}), slow = cases(planted);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!is_small(plain[i]) || !can(plain[i])) continue;
    EXPECT_NEAR(work(slow[i]) / work(plain[i]), 1.1, 1e-4) << record::name(plain[i].info.id);
    const measure::Workload workload = prepare(slow[i]);
    workload.launch({}, device->stream());
    device->synchronize();
    EXPECT_EQ(workload.timed_metrics(1.0).at(1),
              (record::Metric{"slow_executions", 1, "1", record::Direction::none}));
  }
}

TEST_P(CalibrationCases, OneCaseAloneHasWhatIsPlanted) {
  const std::vector<Case> plain = cases({});
  const auto meant =
      std::ranges::find_if(plain, [&](const Case& each) { return is_small(each) && can(each); });
  Planted planted = extra(10);
  planted.only = record::name(meant->info.id);
  const std::vector<Case> changed = cases(planted);
  for (std::size_t i = 0; i < plain.size(); ++i)
    if (is_small(plain[i]) && can(plain[i])) {
      EXPECT_NEAR(work(changed[i]) / work(plain[i]), &plain[i] == &*meant ? 1.1 : 1.0, 1e-4);
    }
}

/// Of a worker on the CPU, of which nothing is executed.
class CalibrationDraws : public testing::Test {
 protected:
  std::unique_ptr<device::Device> device_ = device::open("cpu");
  measure::InputPool inputs_{*device_, 7};
  measure::Group alone_;

  PlantedDraws draws(const Planted& planted, std::uint64_t layout, const char* name = "a/b/f32/n=1",
                     std::uint64_t seed = 7) {
    measure::Setup setup{*device_, inputs_, alone_, seed};
    setup.layout = layout;
    return {planted, name, setup};
  }

  /// Which of 1000 processes are slow, of whom three in ten should be.
  std::vector<bool> slow_processes(const char* name, std::uint64_t seed) {
    std::vector<bool> slow;
    for (std::uint64_t layout = 1; layout <= 1000; ++layout) {
      const std::int64_t units =
          draws({.extra_percent = 1, .slow_processes = {0.3, 10}}, layout, name, seed).units(1000);
      EXPECT_TRUE(units == 1010 || units == 1110) << units;
      slow.push_back(units == 1110);
    }
    return slow;
  }
};

TEST_F(CalibrationDraws, AShareOfProcessesIsSlow) {
  const std::vector<bool> slow = slow_processes("a/b/f32/n=1", 7);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(slow, true)), 300, 60);  // 4 deviations
  EXPECT_EQ(slow_processes("a/b/f32/n=1", 7), slow);
  EXPECT_NE(slow_processes("a/b/f32/n=2", 7), slow);
  EXPECT_NE(slow_processes("a/b/f32/n=1", 8), slow);
  EXPECT_EQ(draws({}, 1).units(1000), 1000);
}

TEST_F(CalibrationDraws, AShareOfExecutionsIsDoneAgain) {
  int launches = 0;
  measure::Workload plain;
  plain.launch = [&](measure::Turn, device::Stream&) { ++launches; };
  plain.timed_metrics = [](double) { return std::vector<record::Metric>{}; };
  const measure::Workload slowed = draws({.slow_samples = {0.1, 5}}, 1).slowed(plain);
  std::vector<bool> slow;
  for (int i = 0; i < 2000; ++i) {
    const int before = launches;
    slowed.launch({}, device_->stream());
    EXPECT_TRUE(launches == before + 1 || launches == before + 5);
    slow.push_back(launches == before + 5);
  }
  const auto count = std::ranges::count(slow, true);
  EXPECT_NEAR(static_cast<double>(count), 200, 54);  // 4 deviations
  EXPECT_EQ(slowed.timed_metrics(1.0).at(0).value, static_cast<double>(count) / 2000);

  std::vector<bool> of_another_process;
  const measure::Workload other = draws({.slow_samples = {0.1, 5}}, 2).slowed(plain);
  for (int i = 0; i < 2000; ++i) {
    const int before = launches;
    other.launch({}, device_->stream());
    of_another_process.push_back(launches > before + 1);
  }
  EXPECT_NE(of_another_process, slow);
  EXPECT_TRUE(draws({}, 1).slowed(plain).timed_metrics(1.0).empty());
}

TEST(CalibrationArguments, WhatIsPlantedIsTakenOut) {
  std::vector<std::string> arguments{"worker", "--extra", "0.5", "--worker"};
  EXPECT_EQ(take_planted(arguments).extra_percent, 0.5);
  EXPECT_EQ(arguments, (std::vector<std::string>{"worker", "--worker"}));
  arguments = {"worker", "--extra=-5", "--slow-samples", "0.05:10", "--slow-processes=0.3:-2.5",
               "--only", "a/b/f32/n=1"};
  const Planted planted = take_planted(arguments);
  EXPECT_EQ(planted.extra_percent, -5);
  EXPECT_EQ(planted.slow_samples.share, 0.05);
  EXPECT_EQ(planted.slow_samples.size, 10);
  EXPECT_EQ(planted.slow_processes.share, 0.3);
  EXPECT_EQ(planted.slow_processes.size, -2.5);
  EXPECT_EQ(planted.only, "a/b/f32/n=1");
  EXPECT_EQ(planted.text(),
            " --extra -5 --slow-samples 0.05:10 --slow-processes 0.3:-2.5 --only a/b/f32/n=1");
  EXPECT_EQ(arguments, std::vector<std::string>{"worker"});
  arguments = {"worker", "--worker"};
  EXPECT_EQ(take_planted(arguments).text(), "");
  EXPECT_EQ(arguments.size(), 2u);
}

TEST(CalibrationArguments, WhatCannotBePlantedIsRefused) {
  const auto refused = [](const std::string& option, const char* given) {
    std::vector<std::string> joined{"worker", option + "=" + given}, apart{"worker", option, given},
        twice{"worker", option + "=1", option + "=1"}, missing{"worker", option};
    for (std::vector<std::string>* arguments : {&joined, &apart, &twice, &missing})
      EXPECT_THROW(take_planted(*arguments), Error) << option << ' ' << given;
  };
  for (const char* given : {"", "much", "3%", "-100", "nan", "inf", "1001"})
    refused("--extra", given);
  for (const char* given : {"", "0.1", "0:2", "-0.1:2", "1.1:2", "0.1:1", "0.1:1.5", "0.1:2.5",
                            "0.1:101", "0.1:nan", "nan:2", "0.1:2:3", ":", "0.1:"})
    refused("--slow-samples", given);
  for (const char* given : {"", "0.3", "0:10", "2:10", "0.3:-100", "0.3:1001", "0.3:x"})
    refused("--slow-processes", given);
  refused("--only", "");
}

/// What the program says of its code when a shell starts it with these arguments, as a wrapper
/// does.
std::string said_hash(const std::string& arguments) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("ridgeline_calibration_{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "wrapper")
      << "#!/bin/sh\nexec '" CALIBRATION_WORKER "' " << arguments << " \"$@\"\n";
  std::filesystem::permissions(folder / "wrapper", std::filesystem::perms::owner_all);
  std::ofstream(folder / "requests")
      << protocol::to_line(protocol::Request{protocol::HelloRequest{}});
  EXPECT_EQ(std::system(fmt::format("'{0}/wrapper' --worker < '{0}/requests' > '{0}/answer'",
                                    folder.string())
                            .c_str()),
            0);
  std::string answer;
  std::ifstream stream(folder / "answer");
  std::getline(stream, answer);
  std::filesystem::remove_all(folder);
  return std::get<protocol::Hello>(protocol::parse_answer<protocol::Hello>(answer)).build.code_hash;
}

TEST(CalibrationProgram, SaysAnotherCodeHashForEachThingThatIsPlanted) {
  const std::string plain = said_hash(""), three = said_hash("--extra 3");
  EXPECT_EQ(plain.size(), 32u);
  EXPECT_EQ(said_hash("--extra 0"), plain);
  EXPECT_EQ(said_hash("--extra=3.0"), three);
  EXPECT_NE(three, plain);
  EXPECT_NE(said_hash("--extra -3"), three);
  const std::string samples = said_hash("--slow-samples 0.05:2");
  EXPECT_NE(samples, plain);
  EXPECT_NE(said_hash("--slow-samples 0.05:10"), samples);
  EXPECT_NE(said_hash("--slow-samples 0.1:2"), samples);
  EXPECT_NE(said_hash("--slow-processes 0.05:2"), samples);
  EXPECT_NE(said_hash("--extra 3 --only calibration/compute/f32/threads=1,rounds=20000"), three);
}

TEST(CalibrationProgram, RefusesToPlantInACaseThatItDoesNotHave) {
  EXPECT_NO_THROW(program({.only = "calibration/compute/f32/threads=1,rounds=20000"}));
  EXPECT_THROW(program({.only = "calibration/compute/f32/threads=1,rounds=3"}), Error);
}

}  // namespace calibration_test
}  // namespace ridgeline::worker::calibration
