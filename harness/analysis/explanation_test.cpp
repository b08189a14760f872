#include "harness/analysis/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace explanation_test {

using record::Direction;

/// 10 SMs; 1 TB/s of DRAM, 4 TB/s of L2, 12.8 TB/s of shared memory (1e11 wavefronts a second), 20
/// and 100 TFLOP/s; an issue slot does 4e10 instructions a second at 1 GHz. So a share of 1 in 1 ms
/// is 1e9 B of DRAM, 4e9 B of L2, 1e8 wavefronts, 2e10 and 1e11 FLOP, 4e7 instructions.
record::Device gpu() {
  record::Device device;
  device.id = "cuda:0";
  device.kind = DeviceKind::cuda;
  device.properties = {{"sms", "10"}, {"capability", "9.0"}};
  return device;
}

std::vector<record::Roof> all_roofs() {
  const std::string measured(record::measured_source);
  return {{"dram.read", 1e12, "B/s", measured},      {"llc.read", 4e12, "B/s", measured},
          {"shared.read", 1.28e13, "B/s", measured}, {"fma.f32", 2e13, "FLOP/s", measured},
          {"tensor.bf16", 1e14, "FLOP/s", measured}, {"latency.dram", 500, "ns", measured},
          {"latency.l1", 30, "ns", measured}};
}

struct Counters {
  double dram = 0, l2 = 0, wavefronts = 0, flops = 0, tensor = 0, instructions = 0;
};

CaseSummary one(const std::string& variant, double ns, const std::string& dtype = "f32") {
  CaseSummary summary;
  summary.case_info.id = {"gemm", variant, dtype, {{"m", "64"}}, {}};
  summary.outcome = record::Outcome::ok;
  summary.median_ns = ns;
  summary.sm_clock_mhz = 1000;
  return summary;
}

void put(CaseSummary& summary, const char* name, double value) {
  summary.metrics.push_back({name, value, "1", Direction::none});
}

CaseSummary counted_in_hardware(CaseSummary summary, const Counters& of) {
  put(summary, "hardware_dram_read_bytes", 0.75 * of.dram);
  put(summary, "hardware_dram_written_bytes", 0.25 * of.dram);
  put(summary, "hardware_l2_bytes", of.l2);
  put(summary, "hardware_flops", of.flops);
  put(summary, "hardware_tensor_flops", of.tensor);
  put(summary, "hardware_warp_instructions", of.instructions);
  put(summary, "hardware_shared_wavefronts", of.wavefronts);
  return summary;
}

constexpr double ms = 1e6;

/// Of `summary` in a run with a case of 1 us, whose launch says how long one takes at most.
Explanation of(const CaseSummary& summary, const std::vector<record::Roof>& roofs = all_roofs(),
               const record::Device& device = gpu(), std::vector<CaseSummary> others = {}) {
  others.push_back(one("short", 1000));
  others.push_back(summary);
  const LaunchTimes launches(others);
  return explain({summary, device, roofs, launches});
}

bool leaves_open(const Explanation& found, Resource resource) {
  return std::ranges::any_of(found.unknown,
                             [&](const UnknownUsage& left) { return left.resource == resource; });
}

double share(const Explanation& found, Resource resource) {
  const Usage* const usage = found.usage(resource);
  return usage ? usage->share : -1;
}

using Resources = std::vector<Resource>;

TEST(Explanation, ACaseIsBoundByWhatItKeepsBusyForFourFifthsOfItsTime) {
  struct Row {
    Counters counters;
    Conclusion conclusion;
    Resources binding;
  };
  const Row rows[] = {
      {{.dram = 0.81e9}, Conclusion::bound, {Resource::dram}},
      {{.dram = 0.79e9}, Conclusion::near, {Resource::dram}},
      {{.dram = 0.61e9}, Conclusion::near, {Resource::dram}},
      {{.dram = 0.59e9}, Conclusion::nothing, {}},
      {{.l2 = 0.85 * 4e9}, Conclusion::bound, {Resource::l2}},
      {{.wavefronts = 0.85e8}, Conclusion::bound, {Resource::shared_memory}},
      {{.flops = 0.85 * 2e10}, Conclusion::bound, {Resource::cores}},
      {{.instructions = 0.85 * 4e7}, Conclusion::bound, {Resource::issue_slots}},
      // As busy as the busiest: both.
      {{.dram = 0.85e9, .l2 = 0.82 * 4e9}, Conclusion::bound, {Resource::dram, Resource::l2}},
      {{.dram = 0.85e9, .l2 = 0.79 * 4e9}, Conclusion::bound, {Resource::dram}},
      {{.dram = 0.95e9, .l2 = 0.85 * 4e9}, Conclusion::bound, {Resource::dram}},
      {{.dram = 1.2e9}, Conclusion::contradiction, {Resource::dram}},
  };
  for (const Row& row : rows) {
    Counters counters = row.counters;
    if (counters.instructions == 0) counters.instructions = 4e5;
    CaseSummary summary = counted_in_hardware(one("naive", ms), counters);
    summary.bytes = 1e6;
    const Explanation found = of(summary);
    EXPECT_EQ(found.conclusion, row.conclusion) << row.counters.dram;
    EXPECT_EQ(found.binding, row.binding) << row.counters.dram;
  }
}

TEST(Explanation, WithoutCountersNothingIsSaidToBeFarFromItsLimit) {
  CaseSummary summary = one("naive", ms);
  summary.bytes = 0.3e9;
  const Explanation found = of(summary);
  EXPECT_EQ(found.conclusion, Conclusion::open);
  EXPECT_EQ(found.usage(Resource::dram)->limit, Limit::at_least);
  EXPECT_EQ(found.usage(Resource::dram)->amount_by, AmountBy::problem);
  for (const Resource left : {Resource::l2, Resource::shared_memory, Resource::issue_slots})
    EXPECT_TRUE(leaves_open(found, left));
  summary.bytes = 0.9e9;  // what it needs suffices to know
  EXPECT_EQ(of(summary).conclusion, Conclusion::bound);
  EXPECT_EQ(of(summary).binding, Resources{Resource::dram});
}

TEST(Explanation, WavefrontsOfACaseWithTensorCoresAreNotAllCounted) {
  const Counters counters{.wavefronts = 0.5e8, .tensor = 0.5e11, .instructions = 4e6};
  CaseSummary summary = counted_in_hardware(one("wgmma", ms, "bf16"), counters);
  summary.bytes = 1e6;
  const Explanation found = of(summary);
  EXPECT_EQ(found.usage(Resource::shared_memory)->limit, Limit::at_least);
  EXPECT_TRUE(leaves_open(found, Resource::shared_memory));
  EXPECT_EQ(found.conclusion, Conclusion::open) << "shared memory may be what bounds it";

  summary = counted_in_hardware(one("simt", ms), {.wavefronts = 0.5e8, .instructions = 4e6});
  summary.bytes = 1e6;
  EXPECT_EQ(of(summary).usage(Resource::shared_memory)->limit, Limit::equal);
  EXPECT_EQ(of(summary).conclusion, Conclusion::nothing);
}

TEST(Explanation, BytesOfMemoryAreExactlyKnownByNobody) {
  CaseSummary summary = counted_in_hardware(one("naive", ms), {.dram = 0.9e9, .instructions = 4e6});
  summary.bytes = 0.3e9;
  EXPECT_EQ(of(summary).usage(Resource::dram)->limit, Limit::about) << "of how many kernels?";
  EXPECT_DOUBLE_EQ(*of(summary).bytes_over_least, 3);
  put(summary, "kernels", 2);
  EXPECT_EQ(of(summary).usage(Resource::dram)->limit, Limit::about);
  summary.metrics.back().value = 1;
  EXPECT_EQ(of(summary).usage(Resource::dram)->limit, Limit::at_least);
  EXPECT_EQ(of(summary).usage(Resource::dram)->amount_by, AmountBy::counters);
  summary.bytes = 0.95e9;  // more than was counted: the rest stayed in a cache
  EXPECT_EQ(of(summary).usage(Resource::dram)->amount_by, AmountBy::problem);
  EXPECT_NEAR(share(of(summary), Resource::dram), 0.95, 1e-12);
}

TEST(Explanation, DataThatMayStayInACacheSaysNothingOfMemory) {
  CaseSummary summary = counted_in_hardware(one("naive", ms), {.dram = 0.9e9, .instructions = 4e6});
  summary.bytes = 0.9e9;
  summary.case_info.id.options = {{"cache", "hot"}};
  const Explanation found = of(summary);
  EXPECT_EQ(found.usage(Resource::dram), nullptr);
  EXPECT_TRUE(leaves_open(found, Resource::dram));
  EXPECT_EQ(found.conclusion, Conclusion::open);
}

TEST(Explanation, LaunchingOneByOneIsKnownByTheSameCaseAsAGraph) {
  CaseSummary graph = counted_in_hardware(one("naive", 4000), {.instructions = 4e3}),
              single = graph;
  single.case_info.id.options = {{"launch", "single"}};
  single.median_ns = 40000;
  const Explanation found = of(single, all_roofs(), gpu(), {graph});
  EXPECT_EQ(found.conclusion, Conclusion::bound);
  ASSERT_EQ(found.binding, Resources{Resource::launch});
  EXPECT_DOUBLE_EQ(share(found, Resource::launch), 0.9);
  EXPECT_EQ(found.usage(Resource::launch)->rate_of, "gemm/naive/f32/m=64");
}

TEST(Explanation, LaunchesOfAGraphAreAtMostTheShortestExecutionForEachKernel) {
  CaseSummary summary = counted_in_hardware(one("naive", 8000), {.instructions = 4e3});
  summary.bytes = 1e3;
  put(summary, "kernels", 3);
  EXPECT_EQ(of(summary).usage(Resource::launch)->limit, Limit::at_most);
  EXPECT_DOUBLE_EQ(share(of(summary), Resource::launch), 3.0 / 8);
  EXPECT_EQ(of(summary).conclusion, Conclusion::nothing);
  summary.metrics.back().value = 6;
  EXPECT_DOUBLE_EQ(share(of(summary), Resource::launch), 6.0 / 8);
  EXPECT_EQ(of(summary).conclusion, Conclusion::open) << "it may be launching";

  summary.metrics.pop_back();  // of how many kernels is not known
  EXPECT_EQ(of(summary).usage(Resource::launch), nullptr);
  EXPECT_TRUE(leaves_open(of(summary), Resource::launch));
  EXPECT_EQ(of(summary).conclusion, Conclusion::open);
  const Explanation shortest = of(one("naive", 999));
  EXPECT_NE(shortest.unknown.back().why.find("nothing that this run launched likewise"),
            std::string::npos);
  CaseSummary longer = counted_in_hardware(one("naive", ms), {.instructions = 4e5});
  longer.bytes = 1e3;
  EXPECT_FALSE(leaves_open(of(longer), Resource::launch));
  EXPECT_EQ(of(longer).conclusion, Conclusion::nothing);
}

TEST(Explanation, WaitingIsKnownOfACaseThatSaysHowMuchItAsksForBeforeItWaits) {
  CaseSummary summary = one("load", 2e6);
  summary.bytes = 4e7;  // by 10 SMs, 2048 B at a time: 1953 times 500 ns
  put(summary, "bytes_in_flight", 2048);
  const Explanation found = of(summary);
  EXPECT_NEAR(share(found, Resource::latency), 4e7 / 20480 * 500 / 2e6, 1e-12);
  EXPECT_EQ(found.usage(Resource::latency)->limit, Limit::at_least);
  summary.median_ns = 1.1e6;
  EXPECT_EQ(of(summary).binding, Resources{Resource::latency});
}

TEST(Explanation, OperationsOfTheProblemNeedACountToBeOfTensorCores) {
  CaseSummary summary = one("mma", ms, "bf16");
  summary.flops = 0.9e10;  // CUDA cores could do it
  summary.flop_rate = 0.9e13;
  EXPECT_TRUE(leaves_open(of(summary), Resource::tensor_cores));
  summary.flops = 0.9e11;  // and here could not
  summary.flop_rate = 0.9e14;
  EXPECT_EQ(of(summary).binding, Resources{Resource::tensor_cores});
  EXPECT_EQ(of(summary).usage(Resource::tensor_cores)->amount_by, AmountBy::problem);
}

TEST(Explanation, CountsOfAnEmulatedDeviceStandInForCounters) {
  const CaseSummary summary = one("naive", ms);
  record::Measurement counts;
  counts.outcome = record::Outcome::counted;
  counts.metrics = {{"dram_read_bytes", 0.7e9, "B", Direction::none},
                    {"dram_written_bytes", 0.2e9, "B", Direction::none},
                    {"shared_load_wavefronts", 0.5e8, "1", Direction::none}};
  const LaunchTimes launches({});
  const auto roofs = all_roofs();
  const auto device = gpu();
  const Explanation found = explain({summary, device, roofs, launches, &counts});
  EXPECT_EQ(found.usage(Resource::dram)->amount_by, AmountBy::counts);
  EXPECT_EQ(found.usage(Resource::dram)->limit, Limit::about) << "by a model of the cache";
  EXPECT_NEAR(share(found, Resource::dram), 0.9, 1e-12);
  EXPECT_NEAR(share(found, Resource::shared_memory), 0.5, 1e-12);
  EXPECT_EQ(found.usage(Resource::shared_memory)->limit, Limit::equal);
  EXPECT_EQ(found.conclusion, Conclusion::bound);

  counts.metrics.push_back({"tensor_instructions", 1e6, "1", Direction::none});
  EXPECT_EQ(
      explain({summary, device, roofs, launches, &counts}).usage(Resource::shared_memory)->limit,
      Limit::at_least);
}

TEST(Explanation, NoRoofsNoTimeAndARoofItselfExplainNothing) {
  CaseSummary summary = counted_in_hardware(one("naive", ms), {.dram = 0.9e9, .wavefronts = 1e7});
  const Explanation found = of(summary, {});
  EXPECT_EQ(found.conclusion, Conclusion::open);
  EXPECT_TRUE(found.usages.empty());
  EXPECT_TRUE(leaves_open(found, Resource::dram));
  EXPECT_TRUE(found.unknown.front().run_tells);
  summary.case_info.roof = "dram.read";
  EXPECT_EQ(of(summary).conclusion, Conclusion::roof);
  summary.median_ns.reset();
  EXPECT_EQ(of(summary).conclusion, Conclusion::no_time);
}

TEST(Explanation, WhatIsNoNumberIsNotKnown) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1.0, infinite, std::nan("")}) {
    std::vector<record::Roof> roofs = all_roofs();
    for (record::Roof& roof : roofs) roof.value = value;
    CaseSummary summary = counted_in_hardware(
        one("naive", ms), {.dram = 1e9, .l2 = 1e9, .wavefronts = 1e8, .flops = 1e9});
    put(summary, "bytes_in_flight", 2048);
    summary.bytes = 1e9;
    const Explanation found = of(summary, roofs);
    for (const Usage& usage : found.usages)
      EXPECT_TRUE(std::isfinite(usage.share)) << value << " " << to_string(usage.resource);
    EXPECT_EQ(found.conclusion, Conclusion::open) << value;
  }
  CaseSummary summary = counted_in_hardware(one("naive", ms), {.dram = 1e300, .l2 = infinite});
  EXPECT_EQ(of(summary).conclusion, Conclusion::contradiction);
  EXPECT_TRUE(leaves_open(of(summary), Resource::l2));
}

TEST(Explanation, ACpuHasMemoryAndCoresAlone) {
  record::Device cpu;
  cpu.kind = DeviceKind::cpu;
  CaseSummary summary = one("naive", ms);
  summary.bytes = 1e6;
  summary.flops = 0.9 * 2e10;
  const Explanation found = of(summary, all_roofs(), cpu);
  EXPECT_EQ(found.binding, Resources{Resource::cores});
  EXPECT_TRUE(found.unknown.empty());
}

}  // namespace explanation_test
}  // namespace ridgeline::analysis
