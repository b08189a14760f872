#include "harness/analysis/summary.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace summary_test {

using record::Outcome;
using store::StoredMeasurement;
namespace examples = store::examples;

/// Rows as a store gives them back, numbered as they are added.
struct Rows {
  std::vector<StoredMeasurement> rows;

  record::Measurement& add(const record::Case& info, int replicate, double median_ns) {
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, replicate + 1, info, replicate,
                    examples::measurement(info, {median_ns, median_ns, median_ns})});
    return rows.back().measurement;
  }
  record::Measurement& fail(const record::Case& info, int replicate, Outcome outcome,
                            const std::string& reason) {
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, replicate + 1, info, replicate,
                    examples::failed(info, outcome, reason)});
    return rows.back().measurement;
  }
  CaseSummary only(const std::vector<record::Roof>& roofs = {},
                   std::optional<double> limit = {}) const {
    const auto all = summarise(rows, roofs, limit);
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
};

const record::Case info = examples::gemm_case("naive", 100);  // 2e6 FLOP, 1.2e5 bytes

TEST(Summary, OfNothingIsNothing) { EXPECT_TRUE(summarise({}, {}, {}).empty()); }

TEST(Summary, TakesTheMedianOfProcessMediansAndItsInterval) {
  Rows rows;
  for (int i = 0; i < 3; ++i) rows.add(info, i, 1000.0 + i);
  const CaseSummary summary = rows.only();
  EXPECT_EQ(summary.medians_ns.size(), 3u);
  EXPECT_EQ(summary.median_ns, 1001);
  ASSERT_TRUE(summary.interval_ns.has_value());
  EXPECT_LT(summary.interval_ns->low, 1000);
  EXPECT_GT(summary.interval_ns->high, 1002);
  EXPECT_DOUBLE_EQ(*summary.flop_rate, 2e6 / 1001e-9);
  EXPECT_DOUBLE_EQ(*summary.byte_rate, 1.2e5 / 1001e-9);
}

TEST(Summary, TwoProcessesHaveNoInterval) {
  Rows rows;
  rows.add(info, 0, 1000);
  rows.add(info, 1, 1001);
  EXPECT_FALSE(rows.only().interval_ns.has_value());
}

TEST(Summary, ProcessesThatDifferAreOneUnstableCase) {
  Rows rows;
  for (const double ns : {1500e3, 865e3, 3470e3})
    rows.add(info, static_cast<int>(rows.rows.size()), ns);
  EXPECT_EQ(rows.only().outcome, Outcome::ok) << "no limit is known";
  const CaseSummary summary = rows.only({}, 0.1);
  EXPECT_EQ(summary.outcome, Outcome::unstable);
  EXPECT_TRUE(summary.reason.starts_with("process medians from 865 us to 3.47 ms"))
      << summary.reason;
  EXPECT_EQ(summary.median_ns, 1500e3);
  EXPECT_TRUE(summary.interval_ns.has_value());
}

TEST(Summary, AFailureIsNoNumber) {
  Rows rows;
  rows.fail(info, 0, Outcome::crashed, "signal 11");
  const CaseSummary summary = rows.only({{"fma.f32", 1e12, "FLOP/s", "measured"}});
  EXPECT_EQ(summary.outcome, Outcome::crashed);
  EXPECT_EQ(summary.reason, "signal 11");
  EXPECT_EQ(summary.medians_ns.size(), 0u);
  EXPECT_FALSE(summary.median_ns || summary.flop_rate || summary.byte_rate ||
               summary.share_of_roof);
}

TEST(Summary, OneFailedProcessLeavesNoNumberOfTheOthers) {
  Rows rows;
  for (int i = 0; i < 3; ++i)
    rows.add(info, i, 1000).metrics = {{"busbw", 1e9, "B/s", record::Direction::higher}};
  const std::vector<record::Roof> roofs{{"dram.copy", 1e12, "B/s", "measured"}};
  EXPECT_TRUE(rows.only(roofs).median_ns && rows.only(roofs).share_of_roof &&
              rows.only(roofs).metrics.size() == 1);
  for (const Outcome outcome : {Outcome::wrong_result, Outcome::timeout, Outcome::crashed}) {
    Rows mixed = rows;
    mixed.fail(info, 1, outcome, "once").attempt = 2;
    const CaseSummary summary = mixed.only(roofs);
    EXPECT_EQ(summary.outcome, outcome);
    EXPECT_TRUE(summary.medians_ns.empty());
    EXPECT_FALSE(summary.median_ns || summary.interval_ns || summary.flop_rate ||
                 summary.byte_rate);
    EXPECT_FALSE(summary.share_of_roof || summary.beats_roof);
    EXPECT_EQ(summary.roof, "");
    EXPECT_TRUE(summary.metrics.empty());
  }
}

TEST(Summary, WhatWasCountedHasMetricsAndNoTime) {
  Rows rows;
  rows.add(info, 0, 1) = examples::counted(info);
  const CaseSummary counted = rows.only({{"dram.copy", 1e9, "B/s", "measured"}});
  EXPECT_EQ(counted.outcome, Outcome::counted);
  EXPECT_EQ(counted.metrics.size(), 2u);
  EXPECT_TRUE(counted.verification.has_value());
  EXPECT_FALSE(counted.median_ns || counted.byte_rate || counted.share_of_roof);
  rows.fail(info, 1, Outcome::timeout, "no time");
  EXPECT_EQ(rows.only().outcome, Outcome::timeout) << "worse than counted";
}

TEST(Summary, TheWorstProcessNamesTheOutcome) {
  Rows rows;
  rows.add(info, 0, 1000);
  rows.fail(info, 1, Outcome::timeout, "10 s spent");
  rows.add(info, 2, 1000).outcome = Outcome::unstable;
  EXPECT_EQ(rows.only().outcome, Outcome::timeout);
  EXPECT_EQ(rows.only().reason, "10 s spent");
  rows.fail(info, 3, Outcome::wrong_result, "element 3");
  EXPECT_EQ(rows.only().outcome, Outcome::wrong_result);
}

TEST(Summary, TheLastAttemptOfAReplicateCounts) {
  Rows rows;
  rows.fail(info, 0, Outcome::crashed, "signal 11");
  rows.add(info, 0, 1000).attempt = 2;
  EXPECT_EQ(rows.only().outcome, Outcome::ok);
  EXPECT_EQ(rows.only().medians_ns.size(), 1u);
}

TEST(Summary, ShareIsLeastTimeOverMedianAndNamesTheRoofThatBinds) {
  Rows rows;
  rows.add(info, 0, 4000);
  // 2e6 FLOP at 1e12 FLOP/s take 2000 ns; 1.2e5 bytes at 1e11 B/s take 1200 ns, at 3e10 B/s 4000
  // ns.
  const record::Roof fma{"fma.f32", 1e12, "FLOP/s", "measured"},
      dram{"dram.copy", 1e11, "B/s", "measured"};
  CaseSummary summary = rows.only({fma, dram});
  EXPECT_DOUBLE_EQ(*summary.share_of_roof, 0.5);
  EXPECT_EQ(summary.roof, "fma.f32");
  summary = rows.only({fma, {"dram.copy", 3e10, "B/s", "measured"}});
  EXPECT_DOUBLE_EQ(*summary.share_of_roof, 1);
  EXPECT_EQ(summary.roof, "dram.copy");
  EXPECT_FALSE(summary.beats_roof);
  EXPECT_FALSE(rows.only().share_of_roof.has_value());
}

TEST(Summary, RoofsAreChosenByTheRules) {
  Rows rows;
  rows.add(info, 0, 4000);
  const auto roof = [&](const std::vector<record::Roof>& roofs) { return rows.only(roofs).roof; };
  const record::Roof read{"dram.read", 2e9, "B/s", "measured"},
      copy{"dram.copy", 1e9, "B/s", "measured"};
  EXPECT_EQ(roof({copy, read}), "dram.read");
  EXPECT_EQ(roof({{"dram", 9e9, "B/s", "datasheet"}, copy}), "dram.copy");
  EXPECT_EQ(roof({{"dram", 9e9, "B/s", "datasheet"}}), "dram");
  EXPECT_EQ(roof({{"llc.copy", 1e9, "B/s", "measured"}, {"fma.f64", 1e9, "FLOP/s", "measured"}}),
            "");
  const record::Roof fma{"fma.f32", 1e9, "FLOP/s", "measured"},
      tensor{"tensor.f32", 2e9, "FLOP/s", "datasheet"};
  EXPECT_EQ(roof({fma, tensor, read}), "tensor.f32");
  EXPECT_DOUBLE_EQ(*rows.only({fma, read, {"fma.f32", 9e9, "FLOP/s", "datasheet"}}).share_of_roof,
                   2e6 / 4000);
}

TEST(Summary, BytesBetweenHostAndDeviceHaveTheRoofOfTheirDirection) {
  record::Case copied;
  copied.id = {"transfer", "pinned", "f32", {{"direction", "to_host"}}, {}};
  copied.device_kind = DeviceKind::cuda;
  copied.bytes = 1e6;
  const record::Roof dram{"dram.copy", 4e12, "B/s", "measured"},
      link{"link", 4e9, "B/s", "PCI Express 2 x8"}, there{"link.to_device", 3e9, "B/s", "measured"},
      back{"link.to_host", 2e9, "B/s", "measured"};
  Rows rows;
  rows.add(copied, 0, 1e6);
  const auto roof = [&](const std::vector<record::Roof>& roofs) { return rows.only(roofs).roof; };
  EXPECT_EQ(roof({dram, link, there, back}), "link.to_host");
  EXPECT_DOUBLE_EQ(*rows.only({dram, link, there, back}).share_of_roof, 0.5);
  EXPECT_EQ(roof({dram, link, there}), "link");
  EXPECT_EQ(roof({dram, there}), "");
  copied.roof = "link.to_host";
  Rows ceiling;
  ceiling.add(copied, 0, 1e6);
  EXPECT_FALSE(ceiling.only({link}).beats_roof);
  EXPECT_TRUE(ceiling.only({{"link", 5e8, "B/s", "PCI Express 1 x2"}}).beats_roof);
  EXPECT_FALSE(ceiling.only({{"dram", 5e8, "B/s", "a datasheet"}}).beats_roof);
}

TEST(Summary, BytesBetweenGpusHaveTheRoofOfTheirLinkAndNotOfTheHosts) {
  record::Case copied;
  copied.id = {"peers", "copy_engine", "f32", {{"peer", "1"}, {"direction", "both_ways"}}, {}};
  copied.device_kind = DeviceKind::cuda;
  copied.bytes = 1e6;
  const record::Roof link{"link", 4e9, "B/s", "PCI Express 2 x8"},
      there{"link.to_peer", 4e9, "B/s", "links"}, both{"link.both_ways", 8e9, "B/s", "links"};
  Rows rows;
  rows.add(copied, 0, 5e5);
  EXPECT_EQ(rows.only({link, there, both}).roof, "link.both_ways");
  EXPECT_DOUBLE_EQ(*rows.only({link, there, both}).share_of_roof, 0.25);
  EXPECT_EQ(rows.only({link, there}).roof, "");
}

TEST(Summary, TheRoofOfE4m3IsCalledFp8) {
  for (const char* const dtype : {"e4m3", "e4m3_fast"}) {
    record::Case of_e4m3 = info;
    of_e4m3.id.dtype = dtype;
    Rows rows;
    rows.add(of_e4m3, 0, 4000);
    const CaseSummary found = rows.only({{"dram.copy", 1e12, "B/s", "measured"},
                                         {"tensor.fp8", 2e12, "FLOP/s", "datasheet"},
                                         {"tensor.bf16", 1e12, "FLOP/s", "datasheet"}});
    EXPECT_EQ(found.roof, "tensor.fp8") << dtype;
    EXPECT_DOUBLE_EQ(*found.share_of_roof, 0.25) << dtype;
    const CaseSummary measured = rows.only({{"dram.copy", 1e12, "B/s", "measured"},
                                            {"tensor.fp8", 1e12, "FLOP/s", "measured"},
                                            {"tensor.fp8", 2e12, "FLOP/s", "datasheet"}});
    EXPECT_DOUBLE_EQ(*measured.share_of_roof, 0.5) << dtype << ": of what the suite roofs measures";
  }
}

TEST(Summary, ACaseMadeOfOtherProductsHasTheirRoof) {
  const record::Roof fma{"fma.f32", 1e9, "FLOP/s", "measured"},
      dram{"dram.copy", 1e12, "B/s", "measured"}, tensor{"tensor.f16", 6e12, "FLOP/s", "measured"},
      pairs{"fma.f16", 1e9, "FLOP/s", "measured"};
  const auto summary = [&](const char* products, const std::vector<record::Roof>& roofs) {
    record::Case split = info;
    split.id.options = {{"products", products}};
    Rows rows;
    rows.add(split, 0, 4000);
    return rows.only(roofs);
  };
  const CaseSummary found = summary("3xf16", {fma, dram, tensor, pairs});
  EXPECT_EQ(found.roof, "tensor.f16");
  EXPECT_DOUBLE_EQ(*found.share_of_roof, 0.25) << "3 times 2e6 FLOP take 1000 ns";
  EXPECT_FALSE(found.beats_roof);
  EXPECT_EQ(summary("3xf16", {fma, dram, pairs}).roof, "dram.copy") << "without tensor cores none";
  for (const char* const nonsense :
       {"", "x", "3", "xf16", "0xf16", "-1xf16", "3.5xf16", "99999999999xf16"})
    EXPECT_EQ(summary(nonsense, {fma, dram, tensor}).roof, "fma.f32") << nonsense;
}

TEST(Summary, AnUnsteadyRoofCountsAsMeasured) {
  Rows rows;
  rows.add(info, 0, 4000);
  const CaseSummary summary = rows.only(
      {{"dram", 9e9, "B/s", "datasheet"}, {"dram.copy", 1e9, "B/s", "measured, unsteady"}});
  EXPECT_EQ(summary.roof, "dram.copy");
  EXPECT_DOUBLE_EQ(*summary.share_of_roof, 1.2e5 / 4000);
}

TEST(Summary, ArithmeticAloneGivesNoShareToACaseWithBytes) {
  Rows rows;
  rows.add(info, 0, 4000);
  const record::Roof fma{"fma.f32", 1e12, "FLOP/s", "measured"};
  const CaseSummary summary = rows.only({fma, {"llc.copy", 1e12, "B/s", "measured"}});
  EXPECT_FALSE(summary.share_of_roof || summary.beats_roof);
  EXPECT_EQ(summary.roof, "");
  record::Case arithmetic = info;
  arithmetic.bytes.reset();
  Rows alone;
  alone.add(arithmetic, 0, 4000);
  EXPECT_DOUBLE_EQ(*alone.only({fma}).share_of_roof, 0.5);
}

TEST(Summary, HotCasesHaveNoMemoryRoof) {
  record::Case hot = info;
  hot.id.options = {{"cache", "hot"}};
  Rows rows;
  rows.add(hot, 0, 1000);
  EXPECT_FALSE(rows.only({{"dram.copy", 1e9, "B/s", "measured"}}).share_of_roof.has_value());
  EXPECT_EQ(rows.only({{"fma.f32", 1e9, "FLOP/s", "measured"}}).roof, "fma.f32");
}

TEST(Summary, CasesThatMeasureARoofHaveNoShare) {
  record::Case roof = info;
  roof.roof = "fma.f32";
  Rows rows;
  rows.add(roof, 0, 1000);
  EXPECT_FALSE(rows.only({{"fma.f32", 1e9, "FLOP/s", "measured"}}).share_of_roof.has_value());
}

TEST(Summary, WhatBeatsItsRoofIsFlaggedBeyondTheMargin) {
  Rows rows;
  rows.add(info, 0, 2000);
  EXPECT_FALSE(rows.only({{"fma.f32", 1e12 / 1.04, "FLOP/s", "measured"}}).beats_roof);
  EXPECT_TRUE(rows.only({{"fma.f32", 1e12 / 1.06, "FLOP/s", "measured"}}).beats_roof);
}

TEST(Summary, AMeasuredCeilingIsComparedWithItsDatasheet) {
  struct Row {
    const char* kind;
    double flop_rate, byte_rate;
    bool beats;
  };
  const std::vector<record::Roof> roofs{
      {"dram", 4.81e12, "B/s", "datasheet"},       {"tensor.bf16", 989e12, "FLOP/s", "datasheet"},
      {"fma.f32", 66.9e12, "FLOP/s", "datasheet"}, {"dram.read", 1e12, "B/s", "measured"},
      {"fma.f64", 1e12, "FLOP/s", "measured"},     {"latency.dram", 1, "ns", "datasheet"}};
  const Row table[] = {{"dram.read", 0, 4.65e12, false},
                       {"dram.read", 0, 4.81e12 * 1.04, false},
                       {"dram.read", 0, 4.81e12 * 1.06, true},
                       {"dram.copy", 0, 6e12, true},
                       {"tensor.bf16", 945e12, 0, false},
                       {"tensor.bf16", 989e12 * 1.06, 0, true},
                       {"fma.f32", 65.5e12, 0, false},
                       {"fma.f32", 66.9e12 * 1.06, 0, true},
                       {"fma.f64", 2e12, 0, false},
                       {"tensor.f16", 2e15, 0, false},
                       {"llc.read", 0, 20e12, false},
                       {"latency.dram", 9e15, 9e15, false}};
  for (const Row& row : table) {
    record::Case roof = info;
    roof.roof = row.kind;
    Rows rows;
    record::Measurement& m = rows.add(roof, 0, 1000);
    m.flops = row.flop_rate * 1000e-9;
    m.bytes = row.byte_rate * 1000e-9;
    const CaseSummary summary = rows.only(roofs);
    EXPECT_EQ(summary.beats_roof, row.beats)
        << row.kind << ' ' << row.flop_rate << ' ' << row.byte_rate;
    EXPECT_FALSE(summary.share_of_roof.has_value());
  }
}

TEST(Summary, WorkThatTheDeviceDecidedWinsOverTheListing) {
  Rows rows;
  rows.add(info, 0, 1000).flops = 5e6;
  EXPECT_DOUBLE_EQ(*rows.only().flop_rate, 5e12);
}

TEST(Summary, KeepsTheWorstVerificationAndMediansOfMetrics) {
  Rows rows;
  for (int i = 0; i < 3; ++i) {
    record::Measurement& m = rows.add(info, i, 1000);
    m.verification = record::Verification{i == 1 ? 5e-6 : 1e-7, 1e-5};
    m.metrics = {{"occupancy_ran", 0.1 * (i + 1), "fraction", record::Direction::higher}};
  }
  EXPECT_EQ(rows.only().verification->error, 5e-6);
  ASSERT_EQ(rows.only().metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(rows.only().metrics[0].value, 0.2);
  rows.fail(info, 3, Outcome::wrong_result, "NaN").verification =
      record::Verification{std::numeric_limits<double>::quiet_NaN(), 1e-5};
  EXPECT_TRUE(std::isnan(rows.only().verification->error));
}

TEST(Summary, SaysTheLeastThatAnyProcessVouchesFor) {
  Rows rows;
  for (int i = 0; i < 3; ++i) {
    record::Measurement& m = rows.add(info, i, 1000);
    // The one that is farthest from right was checked whole.
    m.verification =
        record::Verification{i == 0 ? 5e-6 : 1e-7, 1e-5, i == 1 ? Checked::sample : Checked::whole};
    m.settled = i != 2;
  }
  EXPECT_EQ(rows.only().verification->error, 5e-6);
  EXPECT_EQ(rows.only().verification->checked, Checked::sample);
  EXPECT_EQ(rows.only().settled, false);
  record::Measurement& again = rows.add(info, 2, 1000);
  again.attempt = 2;  // which alone counts
  again.settled = true;
  EXPECT_EQ(rows.only().settled, true);
  record::Measurement& silent = rows.add(info, 3, 1000);
  silent.settled.reset();
  silent.verification->checked.reset();
  EXPECT_EQ(rows.only().settled, std::nullopt);
  EXPECT_EQ(rows.only().verification->checked, std::nullopt);
}

TEST(Summary, OrderIsBySuiteVariantDtypeAndProblemByValue) {
  Rows rows;
  for (const char* variant : {"tiled", "naive"})
    for (int n : {1024, 64, 128}) rows.add(examples::gemm_case(variant, n), 0, 1000);
  record::Case hot = examples::gemm_case("naive", 64);
  hot.id.options = {{"cache", "hot"}};
  rows.add(hot, 0, 1000);
  std::vector<std::string> names;
  for (const CaseSummary& summary : summarise(rows.rows, {}, {}))
    names.push_back(record::name(summary.case_info.id));
  EXPECT_EQ(names, (std::vector<std::string>{
                       "gemm/naive/f32/m=64,n=64,k=64", "gemm/naive/f32/m=64,n=64,k=64,cache=hot",
                       "gemm/naive/f32/m=128,n=128,k=128", "gemm/naive/f32/m=1024,n=1024,k=1024",
                       "gemm/tiled/f32/m=64,n=64,k=64", "gemm/tiled/f32/m=128,n=128,k=128",
                       "gemm/tiled/f32/m=1024,n=1024,k=1024"}));
}

TEST(Summary, TheOutcomeIsSaidOnceWithItsReason) {
  EXPECT_EQ(in_words(Outcome::unsupported, "wgmma"), "unsupported: wgmma");
  EXPECT_EQ(in_words(Outcome::unsupported, "unsupported: wgmma"), "unsupported: wgmma");
  EXPECT_EQ(in_words(Outcome::timeout, ""), "timeout");
}

}  // namespace summary_test
}  // namespace ridgeline::analysis
