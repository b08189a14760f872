#include "harness/run/doubts.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::run {
namespace doubts_test {

using Lines = std::vector<std::string>;

record::Device of_kind(DeviceKind kind) {
  record::Device device = store::examples::device();
  device.kind = kind;
  return device;
}

/// At rest, as a worker describes it.
record::Device cool_gpu() {
  record::Device gpu = of_kind(DeviceKind::cuda);
  gpu.comparable = {{"application_sm_clock_mhz", "1980"}, {"power_limit_w", "700"}};
  gpu.recorded = {{"temperature_at_rest_c", "41"},
                  {"clocks_at_rest_held_by", ""},
                  {"processes_at_rest_of_others", "0"},
                  {"default_application_sm_clock_mhz", "1980"},
                  {"default_power_limit_w", "700"}};
  return gpu;
}

TEST(Doubts, ThereAreNoneOfAQuietMachine) {
  const ProcessorUse quiet{0.02, 0, 2};
  EXPECT_EQ(doubts(of_kind(DeviceKind::cpu), quiet), Lines{});
  EXPECT_EQ(doubts(cool_gpu(), quiet), Lines{});
  EXPECT_EQ(doubts(of_kind(DeviceKind::cuda), std::nullopt), Lines{}) << "nothing is known";
}

TEST(Doubts, OtherProgramsMatterToACpuAtOnceAndToAGpuWhenTheyLeaveNoProcessor) {
  EXPECT_EQ(doubts(of_kind(DeviceKind::cpu), ProcessorUse{0.25, 0.1, 4}),
            (Lines{"other programs use 1.0 of 4 processors",
                   "10.0% of the processors' time goes to other virtual machines"}));
  EXPECT_EQ(doubts(cool_gpu(), ProcessorUse{0.5, 0, 4}), Lines{});
  EXPECT_EQ(doubts(cool_gpu(), ProcessorUse{0.9, 0, 4}),
            Lines{"other programs use 3.6 of 4 processors"});
  EXPECT_EQ(doubts(cool_gpu(), ProcessorUse{0.05, 0, 1}), Lines{});
}

TEST(Doubts, AQuotaBelowTheProcessorsMattersToACpuAndToAGpuWhenItLeavesLittle) {
  EXPECT_EQ(doubts(of_kind(DeviceKind::cpu), ProcessorUse{0, 0, 4, 4.0}), Lines{});
  EXPECT_EQ(doubts(of_kind(DeviceKind::cpu), ProcessorUse{0, 0, 4, 3.0}),
            Lines{"a quota allows the time of 3.00 of 4 processors"});
  EXPECT_EQ(doubts(cool_gpu(), ProcessorUse{0, 0, 4, 3.0}), Lines{});
  EXPECT_EQ(doubts(cool_gpu(), ProcessorUse{0, 0, 4, 0.2}),
            Lines{"a quota allows the time of 0.20 of 4 processors"});
}

TEST(Doubts, AGpuSaysWhatHoldsItBack) {
  record::Device gpu = cool_gpu();
  gpu.recorded["clocks_at_rest_held_by"] = "hw_slowdown,hw_thermal_slowdown";
  gpu.recorded["processes_at_rest_of_others"] = "2";
  gpu.recorded["temperature_at_rest_c"] = "83";
  gpu.comparable = {{"application_sm_clock_mhz", "1200"}, {"power_limit_w", "400"}};
  EXPECT_EQ(doubts(gpu, std::nullopt),
            (Lines{"clocks are held down at rest: hw_slowdown,hw_thermal_slowdown",
                   "2 other processes on the GPU", "the GPU is at 83 C before it works",
                   "the application clock is 1200 MHz, by default 1980 MHz",
                   "the power limit is 400 W, by default 700 W"}));
  gpu.kind = DeviceKind::cpu;
  EXPECT_EQ(doubts(gpu, std::nullopt), Lines{}) << "facts of a GPU";
}

TEST(Doubts, NumbersThatNobodyCanBelieveAreNone) {
  for (const char* number : {"1e30", "inf", "-inf", "nan", "0.5", "-1"}) {
    record::Device gpu = cool_gpu();
    gpu.recorded["processes_at_rest_of_others"] = number;
    gpu.recorded["temperature_at_rest_c"] = number;
    EXPECT_EQ(doubts(gpu, std::nullopt), Lines{}) << number;
  }
}

TEST(Doubts, FactsOfAWorkerAreNotTrusted) {
  record::Device gpu = cool_gpu();
  gpu.recorded["temperature_at_rest_c"] = "80 C";
  gpu.recorded["processes_at_rest_of_others"] = "many";
  gpu.recorded["clocks_at_rest_held_by"] = "\x1b[2J";
  EXPECT_EQ(doubts(gpu, std::nullopt), Lines{"clocks are held down at rest: \\x1b[2J"});
}

TEST(Doubts, TicksAreThoseOfTheProcessorsThatAreUsed) {
  const char* stat =
      "cpu  900 0 0 900 0 0 0 0 0 0\n"
      "cpu0 100 20 30 400 50 6 4 10 0 0\n"
      "cpu1 1 1 1 1 1 1 1 1 0 0\n"
      "cpu12 7 0 0 93 0 0 0 0 0 0\n"
      "intr 12 0\n";
  const auto some = read_ticks(stat, {0, 12}).value();
  EXPECT_EQ(some.busy, 100 + 20 + 30 + 6 + 4 + 7);
  EXPECT_EQ(some.stolen, 10);
  EXPECT_EQ(some.all, some.busy + 10 + 450 + 93);
  EXPECT_EQ(some.processors, 2);
  EXPECT_FALSE(read_ticks(stat, {3}));
  EXPECT_FALSE(read_ticks("cpu0 1 2\ncpux\n", {0}));
}

TEST(Doubts, OnlyDevicesWithTimesAreLookedAt) {
  EXPECT_EQ(look_for_doubts(of_kind(DeviceKind::fake)), Lines{});
  EXPECT_EQ(look_for_doubts(of_kind(DeviceKind::emulated)), Lines{});
}

}  // namespace doubts_test
}  // namespace ridgeline::run
