#include "harness/worker/calibration/calibration.hpp"

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
namespace {

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

/// Of a GPU, each kernel has one size.
bool is_small(const Case& wanted) {
  return wanted.info.device_kind != DeviceKind::cpu ||
         wanted.info.id.problem.back() == record::Field{"rounds", "20000"} ||
         wanted.info.id.problem.back() == record::Field{"mib", "4"};
}

INSTANTIATE_TEST_SUITE_P(Kinds, CalibrationCases,
                         testing::Values(device::Kind::cpu, device::Kind::cuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Calibration, NamesAreWithoutTheExtraWork) {
  std::set<std::string> names, slower;
  for (const Case& each : cases(0)) names.insert(record::name(each.info.id));
  for (const Case& each : cases(5)) slower.insert(record::name(each.info.id));
  EXPECT_EQ(names.size(), cases(0).size());
  EXPECT_EQ(names, slower);
  EXPECT_TRUE(names.contains("calibration/compute/f32/threads=1,rounds=20000"));
  EXPECT_TRUE(names.contains("calibration/memory/i32/threads=all,mib=64"));
}

TEST_P(CalibrationCases, CountTheExtraWorkToAHundredthOfAPercent) {
  const std::vector<Case> plain = cases(0);
  for (const double percent : {-3.0, 0.5, 1.0, 10.0}) {
    const std::vector<Case> changed = cases(percent);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (!is_small(plain[i]) || !can(plain[i])) continue;
      const double before = work(plain[i]);
      ASSERT_GE(before, 1000);
      EXPECT_NEAR(work(changed[i]) / before, 1 + percent / 100, 1e-4)
          << record::name(plain[i].info.id) << " with " << percent;
    }
  }
}

TEST_P(CalibrationCases, AreRightInEverySize) {
  for (const Case& each : cases(2))
    if (!is_small(each) && can(each)) {
      EXPECT_GT(work(each), 0);
    }
}

TEST_P(CalibrationCases, WithoutAnExecutionAreWrong) {
  for (const Case& each : cases(0)) {
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

TEST(CalibrationArguments, ExtraIsTakenOut) {
  std::vector<std::string> arguments{"worker", "--extra", "0.5", "--worker"};
  EXPECT_EQ(take_extra(arguments), 0.5);
  EXPECT_EQ(arguments, (std::vector<std::string>{"worker", "--worker"}));
  arguments = {"worker", "--extra=-5"};
  EXPECT_EQ(take_extra(arguments), -5);
  arguments = {"worker", "--worker"};
  EXPECT_EQ(take_extra(arguments), 0);
  EXPECT_EQ(arguments.size(), 2u);
}

TEST(CalibrationArguments, WhatIsNoPercentageIsRefused) {
  for (const char* given : {"", "much", "3%", "-100", "nan", "inf", "1001"}) {
    std::vector<std::string> arguments{"worker", "--extra", given};
    EXPECT_THROW(take_extra(arguments), Error) << given;
  }
  std::vector<std::string> missing{"worker", "--extra"}, twice{"worker", "--extra=1", "--extra=1"};
  EXPECT_THROW(take_extra(missing), Error);
  EXPECT_THROW(take_extra(twice), Error);
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

TEST(CalibrationProgram, SaysAnotherCodeHashForEachPercentage) {
  const std::string plain = said_hash(""), three = said_hash("--extra 3");
  EXPECT_EQ(plain.size(), 32u);
  EXPECT_EQ(said_hash("--extra 0"), plain);
  EXPECT_EQ(said_hash("--extra=3.0"), three);
  EXPECT_NE(three, plain);
  EXPECT_NE(said_hash("--extra -3"), three);
}

}  // namespace
}  // namespace ridgeline::worker::calibration
