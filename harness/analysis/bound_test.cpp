#include "harness/analysis/bound.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace bound_test {

/// A device with round figures: 10 SMs at 1 GHz, 1 TB/s.
catalogue::Datasheet device(int capability = 90) {
  catalogue::Datasheet sheet;
  sheet.model = "Synthetic";
  sheet.source = "synthetic datasheet";
  sheet.capability = capability;
  sheet.sms = 10;
  sheet.f32 = capability == 80 ? 1.28 : 2.56;  // 10 SMs x 64 or 128 lanes x 2 FLOP x 1 GHz
  sheet.f64 = 0.64;
  sheet.tf32 = 10;
  sheet.bf16 = sheet.f16 = 20;
  sheet.fp8 = 40;
  sheet.dram_gb_s = 1000;
  return sheet;
}

const record::Roof l2{"llc.read", 4e12, "B/s", "measured"};

CountedWork work() {
  CountedWork work;
  work.dtype = "f32";
  work.flops = 2.56e6;           // 1000 ns
  work.dram_bytes = 3e6;         // 3000 ns
  work.l2_bytes = 8e6;           // 2000 ns
  work.shared_wavefronts = 5e3;  // over 10 SMs: 500 ns
  return work;
}

const BoundTerm* term(const Bound& bound, std::string_view resource) {
  const auto found = std::ranges::find(bound.terms, resource, &BoundTerm::resource);
  return found == bound.terms.end() ? nullptr : &*found;
}

double ns(const Bound& bound, std::string_view resource) {
  const BoundTerm* const found = term(bound, resource);
  return found ? found->ns : -1;
}

bool leaves_out(const Bound& bound, std::string_view what) {
  return std::ranges::any_of(bound.left_out,
                             [&](const std::string& text) { return text.starts_with(what); });
}

TEST(Bound, IsTheTimeOfTheResourceThatIsBusiest) {
  const Bound bound = least_time(work(), device(), l2);
  EXPECT_DOUBLE_EQ(ns(bound, "DRAM"), 3000);
  EXPECT_DOUBLE_EQ(ns(bound, "L2"), 2000);
  EXPECT_DOUBLE_EQ(ns(bound, "shared memory"), 500);
  EXPECT_DOUBLE_EQ(ns(bound, "CUDA cores"), 1000);
  EXPECT_EQ(bound.terms.size(), 4u);
  EXPECT_TRUE(bound.left_out.empty());
  EXPECT_EQ(bound.binding->resource, "DRAM");
  EXPECT_DOUBLE_EQ(*bound.flop_per_byte, 2.56 / 3);
  EXPECT_DOUBLE_EQ(*bound.flop_rate, 2.56e6 / 3e-6);

  CountedWork conflicts = work();
  *conflicts.shared_wavefronts *= 32;
  EXPECT_EQ(least_time(conflicts, device(), l2).binding->resource, "shared memory");
  EXPECT_DOUBLE_EQ(least_time(conflicts, device(), l2).binding->ns, 16000);
}

// A100: 19.5 TFLOP/s over 108 SMs of 64 lanes is 1410.6 MHz; H200: 66.9 TFLOP/s over 132 SMs of 128
// lanes, 1979.8 MHz.
TEST(Bound, TakesTheClockFromTheF32Roof) {
  EXPECT_NEAR(clock_of_roof(*catalogue::datasheet("20b2")), 1410.6e6, 0.1e6);
  EXPECT_NEAR(clock_of_roof(*catalogue::datasheet("2335")), 1979.8e6, 0.1e6);
  EXPECT_NEAR(clock_of_roof(device(80)), 1e9, 1);
  EXPECT_NEAR(clock_of_roof(device(90)), 1e9, 1);
}

// 4096 x 4096 floats turned round through a tile whose columns lie in one bank: 2^19 requests, 32
// wavefronts each, and as many that store one. At 132 SMs and 1979.8 MHz that is 66.2 us; DRAM
// needs 27.9 us.
TEST(Bound, OfATransposeWithBankConflictsOnAnH200) {
  CountedWork turn;
  turn.dtype = "f32";
  turn.flops = 0;
  turn.dram_bytes = 2.0 * 4096 * 4096 * 4;
  turn.l2_bytes = turn.dram_bytes;
  turn.shared_wavefronts = 524288.0 * 32 + 524288;
  const Bound bound = least_time(turn, *catalogue::datasheet("2335"), std::nullopt);
  EXPECT_EQ(bound.binding->resource, "shared memory");
  EXPECT_NEAR(bound.binding->ns, 66'203, 5);
  EXPECT_NEAR(ns(bound, "DRAM"), 27'881, 5);
  EXPECT_EQ(term(bound, "CUDA cores"), nullptr) << "it computes nothing";
  EXPECT_FALSE(bound.flop_rate);
  EXPECT_FALSE(bound.flop_per_byte);
}

TEST(Bound, ComputesWhereTheInstructionsAre) {
  CountedWork tensor = work();
  tensor.tensor = true;
  const std::pair<const char*, double> tensor_ns[] = {
      {"f32", 256}, {"f16", 128}, {"bf16", 128}, {"e4m3", 64}, {"e4m3_fast", 64}};
  for (const auto& [dtype, expected] : tensor_ns) {
    tensor.dtype = dtype;
    const Bound bound = least_time(tensor, device(), l2);
    EXPECT_DOUBLE_EQ(ns(bound, "tensor cores"), expected) << dtype;
    EXPECT_EQ(term(bound, "CUDA cores"), nullptr);
  }
  tensor.dtype = "f64";
  EXPECT_TRUE(leaves_out(least_time(tensor, device(), l2), "tensor cores: no rate for f64"));

  // Pairs of 16 bits: 256 a clock and SM on both, which is 4 or 2 times as many as of f32.
  CountedWork plain = work();
  for (const auto& [dtype, expected] :
       {std::pair("f64", 4000.0), {"f32", 1000.0}, {"f16", 500.0}, {"bf16", 500.0}}) {
    plain.dtype = dtype;
    EXPECT_DOUBLE_EQ(ns(least_time(plain, device(90), l2), "CUDA cores"), expected) << dtype;
  }
  EXPECT_DOUBLE_EQ(ns(least_time(plain, device(80), l2), "CUDA cores"), 500);
  EXPECT_TRUE(leaves_out(least_time(plain, device(89), l2), "CUDA cores: no rate for bf16"));
}

TEST(Bound, SaysWhatItLeavesOut) {
  CountedWork nothing;
  nothing.dtype = "f32";
  const Bound bound = least_time(nothing, device(), std::nullopt);
  EXPECT_TRUE(bound.terms.empty());
  EXPECT_FALSE(bound.binding);
  for (const char* what : {"DRAM: ", "L2: no run of `roofs`", "shared memory: ", "CUDA cores: "})
    EXPECT_TRUE(leaves_out(bound, what)) << what;
  EXPECT_TRUE(leaves_out(least_time(work(), device(), std::nullopt), "L2: no run of `roofs`"));
}

record::Measurement counted() {
  record::Measurement m;
  m.outcome = record::Outcome::counted;
  m.flops = 100;
  const auto add = [&](const char* name, double value) {
    m.metrics.push_back({name, value, "1", record::Direction::lower});
  };
  add("dram_read_bytes", 1000);
  add("dram_written_bytes", 500);
  add("global_load_sectors", 9999);  // may be served by L1
  add("global_store_sectors", 20);
  add("shared_load_wavefronts", 7);
  add("shared_store_wavefronts", 3);
  add("tensor_instructions", 0);
  return m;
}

TEST(CountedWork, IsReadFromTheMetrics) {
  record::Case info;
  info.id.dtype = "f16";
  info.flops = 99;
  record::Measurement m = counted();
  CountedWork work = counted_work(info, m);
  EXPECT_EQ(work.dtype, "f16");
  EXPECT_EQ(work.flops, 100) << "as prepared";
  EXPECT_EQ(work.dram_bytes, 1500);
  EXPECT_EQ(work.l2_bytes, 1000 + 32 * 20);
  EXPECT_EQ(work.shared_wavefronts, 10);
  EXPECT_FALSE(work.tensor);
  m.metrics.back().value = 1;
  EXPECT_TRUE(counted_work(info, m).tensor);

  info.id.options = {{"cache", "hot"}};
  EXPECT_FALSE(counted_work(info, m).dram_bytes) << "what is in L2 needs no DRAM";
  EXPECT_EQ(counted_work(info, m).l2_bytes, 1000 + 32 * 20) << "a launch begins with an empty L1";
  work = counted_work(info, {});
  EXPECT_FALSE(work.dram_bytes || work.l2_bytes || work.shared_wavefronts || work.tensor);
  EXPECT_EQ(work.flops, 99);
}

TEST(CountingCapability, IsOfTheSameMajorVersionAndNotAbove) {
  const std::pair<int, std::optional<int>> table[] = {{70, {}}, {75, {}}, {80, 80},  {86, 80},
                                                      {89, 80}, {90, 90}, {100, {}}, {120, {}}};
  for (const auto& [capability, expected] : table)
    EXPECT_EQ(counting_capability(device(capability)), expected);
}

}  // namespace bound_test
}  // namespace ridgeline::analysis
