// Noise and software, from what was measured and found. All numbers are made up.

#include "harness/run/noise.hpp"

#include <gtest/gtest.h>

#include "harness/run/software_fitness.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::run {
namespace noise_test {

namespace examples = store::examples;
using record::Outcome;

constexpr double unstable = 0.1;

Finding judged(const std::vector<double>& medians, Outcome outcome = Outcome::ok,
               const std::string& reason = {}) {
  NoiseCase noise{"roofs/fma/f32", {}};
  for (const double ns : medians) {
    record::Measurement one;
    one.outcome = outcome;
    one.reason = reason;
    if (record::has_samples(outcome)) one.median_ns = ns;
    noise.measured.push_back(one);
  }
  Sampling sampling;
  sampling.unstable = unstable;
  return judge_noise({noise}, sampling).front();
}

TEST(Noise, ProcessesThatAgreeAreFine) {
  const Finding found = judged({1000, 1001, 999, 1000, 1002, 1000});
  EXPECT_EQ(found.level, Level::fine) << found.seen;
  EXPECT_EQ(found.check, "noise of roofs/fma/f32");
  EXPECT_NE(found.seen.find("over 6 processes"), std::string::npos) << found.seen;
}

TEST(Noise, ProcessesThatDifferMoreThanTheProfileAllowsAreUnfit) {
  EXPECT_EQ(judged({1000, 1300, 900, 1500, 1000, 800}).level, Level::unfit);
}

TEST(Noise, WhereTimesSayNothingThatIsSaidInWords) {
  const Finding wild = judged({14e6, 83e6, 15e6, 1500e6, 14e6, 90e6});
  EXPECT_EQ(wild.level, Level::unfit);
  EXPECT_EQ(wild.seen,
            "14.0 to 1500 ms over 6 processes; the same program twice: nothing can be said");
  const Finding wide = judged({1000, 1300, 900, 1500, 1000, 800});
  EXPECT_TRUE(wide.seen.starts_with("±")) << wide.seen;
  const Finding near = judged({1000, 1010, 990, 1000, 1000, 1020});
  EXPECT_NE(near.seen.find("the same program twice: 0."), std::string::npos) << near.seen;
}

TEST(Noise, HalvesThatDifferAreNotedAlthoughEachIsSteady) {
  // A, B, B, A, A, B, B, A
  const Finding found = judged({1000, 1050, 1051, 1001, 1000, 1049, 1050, 1001});
  EXPECT_EQ(found.level, Level::note) << found.seen;
  EXPECT_NE(found.advice.find("drifts"), std::string::npos);
}

TEST(Noise, WhatCannotBeMeasuredIsSaidAsSuch) {
  EXPECT_EQ(judged({1000, 1001}).level, Level::unknown);
  EXPECT_EQ(judged({}).level, Level::unknown);
  EXPECT_EQ(judged({0, 0}, Outcome::unavailable, "no library").level, Level::unknown);
  const Finding wrong = judged({0, 0}, Outcome::wrong_result, "off by one");
  EXPECT_EQ(wrong.level, Level::unfit);
  EXPECT_EQ(wrong.seen, "wrong_result: off by one");
  EXPECT_EQ(judged({1000, 1000}, Outcome::invalid_environment, "throttled").level, Level::unfit);
}

TEST(Noise, AnArithmeticAndAMemoryCaseAreTakenWhereThereAreSuch) {
  std::vector<Selected> cases(4);
  cases[0].name = "plain";
  cases[1].name = "copy";
  cases[1].info.roof = "dram.copy";
  cases[2].name = "missing";
  cases[2].info.roof = "fma.f32";
  cases[2].unavailable = "why";
  cases[3].name = "fma";
  cases[3].info.roof = "fma.f32";
  const auto names = [](const std::vector<const Selected*>& chosen) {
    std::vector<std::string> found;
    for (const Selected* each : chosen) found.push_back(each->name);
    return found;
  };
  EXPECT_EQ(names(cases_for_noise(cases)), (std::vector<std::string>{"fma", "copy"}));
  cases.resize(1);
  EXPECT_EQ(names(cases_for_noise(cases)), std::vector<std::string>{"plain"});
  EXPECT_TRUE(cases_for_noise({}).empty());
}

Level level_of(const Findings& findings, const std::string& check) {
  for (const Finding& each : findings)
    if (each.check == check) return each.level;
  throw std::runtime_error("no finding is called " + check);
}

TEST(SoftwareFitness, ADriverIsHeldAgainstTheToolkit) {
  record::Device gpu = examples::device();
  gpu.kind = DeviceKind::cuda;
  const auto judged = [&](const char* driver, const char* runtime) {
    gpu.recorded["cuda_driver"] = driver;
    gpu.recorded["cuda_runtime"] = runtime;
    return level_of(judge_software(gpu, {}), "driver");
  };
  EXPECT_EQ(judged("13.0", "13.0"), Level::fine);
  EXPECT_EQ(judged("13.2", "12.9"), Level::fine);
  EXPECT_EQ(judged("13.0", "13.1"), Level::note);
  EXPECT_EQ(judged("12.9", "13.0"), Level::unfit);
  EXPECT_EQ(judged("", "13.0"), Level::unknown);
  EXPECT_EQ(judged("odd", "13.0"), Level::unknown);
}

TEST(SoftwareFitness, WhatIsMissingIsNotedWithWhatItCosts) {
  Software software;
  software.libraries = {{"cuDNN", false}, {"NCCL", true}};
  software.tools = {{"ncu", false}};
  software.drawing = "No module named 'matplotlib'";
  software.how_to_draw = "install it";
  const Findings found = judge_software(examples::device(), software);
  EXPECT_EQ(level_of(found, "cuDNN"), Level::note);
  EXPECT_EQ(level_of(found, "NCCL"), Level::fine);
  EXPECT_EQ(level_of(found, "ncu"), Level::note);
  EXPECT_EQ(level_of(found, "matplotlib"), Level::note);
  EXPECT_EQ(found.back().advice, "install it");
  EXPECT_EQ(found.size(), 4u) << "nothing is said of what was not looked for";
}

TEST(SoftwareFitness, SizesAreHeldAgainstTheProfile) {
  record::Device cpu = examples::device();
  cpu.kind = DeviceKind::cpu;
  cpu.properties = {};
  cpu.comparable = {{"memory_gib", "2"}};
  Profile profile;
  profile.name = "quick";
  profile.cases[DeviceKind::cpu] = {{"gemm", 1, false}};
  std::vector<Selected> cases(1);
  cases[0].info = examples::gemm_case("naive");
  cases[0].info.device_kind = DeviceKind::cpu;
  cases[0].info.bytes = 1e9;
  cases[0].name = "gemm/naive/f32";
  Findings found = judge_sizes(cpu, profile, cases);
  EXPECT_EQ(level_of(found, "last-level cache"), Level::unknown);
  EXPECT_EQ(level_of(found, "memory for quick"), Level::fine);
  cpu.properties = {{"last_level_cache_bytes", "33554432"}};
  cases[0].info.bytes = 3e9;
  found = judge_sizes(cpu, profile, cases);
  EXPECT_EQ(level_of(found, "last-level cache"), Level::fine);
  EXPECT_EQ(level_of(found, "memory for quick"), Level::note);
  cpu.comparable = {};
  EXPECT_EQ(level_of(judge_sizes(cpu, profile, cases), "memory for quick"), Level::unknown);
}

}  // namespace noise_test
}  // namespace ridgeline::run
