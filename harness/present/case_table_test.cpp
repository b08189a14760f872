#include "harness/present/case_table.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::present {
namespace case_table_test {

using analysis::CaseSummary;
using record::Outcome;

CaseSummary summary() {
  CaseSummary made;
  made.case_info = store::examples::gemm_case("ring");
  made.outcome = record::Outcome::ok;
  made.median_ns = 1000;
  return made;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CaseTable, ACollectiveIsRatedByItsBusBandwidth) {
  const record::Metric algbw{"algbw", 12e9, "B/s", record::Direction::higher};
  const record::Metric busbw{"busbw", 19.2e9, "B/s", record::Direction::higher};
  analysis::CaseSummary collective = summary();
  collective.metrics = {algbw, busbw};
  EXPECT_TRUE(contains(case_table({collective}), "19.2 GB/s bus"));
  collective.byte_rate = 5e9;
  collective.roof = "dram.copy";
  EXPECT_TRUE(contains(case_table({collective}), "19.2 GB/s bus"));
  collective.metrics = {algbw};
  EXPECT_TRUE(contains(case_table({collective}), "12.0 GB/s algbw"));
  collective.metrics = {{"l2_bandwidth", 7e9, "B/s", record::Direction::higher}};
  EXPECT_TRUE(contains(case_table({collective}), "5.00 GB/s"));
  collective.metrics = {busbw};
  collective.median_ns.reset();
  EXPECT_FALSE(contains(case_table({collective}), "bus")) << "a case without a median has no rate";
}

TEST(CaseTable, ACountedCaseHasCountsAndNoColumnForTimes) {
  analysis::CaseSummary counted;
  counted.case_info = store::examples::gemm_case("ring");
  counted.case_info.device_kind = DeviceKind::emulated;
  counted.outcome = record::Outcome::counted;
  counted.metrics = {{"global_load_requests", 8192, "1", record::Direction::lower},
                     {"global_load_sectors", 32768, "1", record::Direction::lower},
                     {"global_store_requests", 8192, "1", record::Direction::lower},
                     {"global_store_sectors", 65536, "1", record::Direction::lower},
                     {"global_moved_bytes", 3145728, "B", record::Direction::lower},
                     {"shared_wavefronts_per_request", 1.5, "1", record::Direction::lower}};
  const std::string text = case_table({counted});
  for (const char* word :
       {"16384", "6", "1.5", "3 MiB", "counted", "sectors/request", "wavefronts/request"})
    EXPECT_TRUE(contains(text, word)) << word << '\n' << text;
  for (const char* word : {"median", "interval", "rate", "roof"})
    EXPECT_FALSE(contains(text, word)) << text;
  const auto all = json::reread(to_json(counted));
  EXPECT_FALSE(all.contains("median_ns"));
  EXPECT_EQ(all.at("metrics").size(), 6u);
  counted.outcome = record::Outcome::wrong_result;
  counted.metrics.clear();
  EXPECT_FALSE(contains(case_table({counted}), "0")) << "what was not counted is no number";
}

TEST(CaseTable, SaysWhatBeatsItsRoof) {
  analysis::CaseSummary beating = summary();
  EXPECT_FALSE(contains(case_table({beating}), "above its roof"));
  beating.beats_roof = true;
  const std::string name = record::name(beating.case_info.id);
  EXPECT_TRUE(contains(case_table({beating}),
                       "ok !!\n\n!! 1 case above its roof, a measuring error: " + name + "\n"));
  EXPECT_EQ(above_roof({beating, summary(), beating}),
            "2 cases above their roof, a measuring error: " + name + ", " + name);
  const std::string many = above_roof(std::vector<analysis::CaseSummary>(7, beating));
  EXPECT_TRUE(many.ends_with(name + " and 2 more")) << many;
  EXPECT_EQ(names_above_roof({summary(), beating}), std::vector<std::string>{name});
  EXPECT_EQ(to_json(beating).at("beats_roof"), true);
}

CaseSummary of(const std::string& variant, int n, Outcome outcome = Outcome::ok,
               const std::string& reason = {}) {
  CaseSummary made;
  made.case_info = store::examples::gemm_case(variant, n);
  made.outcome = outcome;
  made.reason = reason;
  return made;
}

CaseSummary timed(const std::string& variant, int n, double median_ns, double share) {
  CaseSummary made = of(variant, n);
  made.median_ns = median_ns;
  made.interval_ns = stats::Interval{median_ns * 0.99, median_ns * 1.01};
  made.flop_rate = 2.0 * n * n * n / median_ns * 1e9;
  made.share_of_roof = share;
  return made;
}

TEST(CaseTable, SaysOnceWhatASuitesCasesShareAndUsesOneUnitPerColumn) {
  CaseSummary copy = timed("copy", 64, 5e9, 0.9);
  copy.case_info.id = {"roofs", "copy", "f32", {{"level", "dram"}}, {}};
  EXPECT_EQ(case_table({timed("naive", 512, 4.5e6, 0.034), timed("tiled", 512, 600e3, 0.3),
                        timed("mma", 512, 1.2e6, 0.15), copy}),
            "case                     median       95% interval           rate  of roof  outcome\n"
            "gemm/*/f32/m=512,n=512,k=512\n"
            "  naive                4.50  ms    4.46 to 4.55 ms   59.7 GFLOP/s     3.4%  ok\n"
            "  tiled                0.600 ms  0.594 to 0.606 ms  447   GFLOP/s    30.0%  ok\n"
            "  mma                  1.20  ms    1.19 to 1.21 ms  224   GFLOP/s    15.0%  ok\n"
            "roofs\n"
            "  copy/f32/level=dram    5.00 s     4.95 to 5.05 s    105 kFLOP/s    90.0%  ok\n");
}

TEST(CaseTable, FitsTheWidthWithReasonsBelowTheirRows) {
  const std::string reason = "the process's interval is ±7% of its median; the profile allows ±5%";
  CaseSummary unstable = timed("register_tiled", 512, 4.5e6, 0.034);
  unstable.outcome = Outcome::unstable;
  unstable.reason = reason;
  const std::vector<CaseSummary> cases{timed("naive", 256, 600e3, 0.3), unstable};
  for (const std::size_t width : {80, 100, 200}) {
    std::istringstream lines(case_table(cases, {width, false}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), width) << line;
  }
  EXPECT_TRUE(contains(case_table(cases, {200, false}), "unstable\n      " + reason + "\n"));
}

TEST(CaseTable, CountsOnceWhatSeveralCasesWereNotMeasuredFor) {
  const std::string why = "needs 2 or more GPUs",
                    never = "the run's budget of 3 min 00 s was spent";
  std::vector<CaseSummary> cases{timed("naive", 64, 1000, 0.1)};
  for (const int n : {128, 256, 512, 1024})
    cases.push_back(of("ring", n, Outcome::unsupported, why));
  for (const int n : {128, 256}) cases.push_back(of("tiled", n, Outcome::not_measured, never));
  EXPECT_EQ(case_table(cases),
            "case                         median      95% interval         rate  of roof  outcome\n"
            "gemm\n"
            "  naive/f32/m=64,n=64,k=64  1.00 us  0.990 to 1.01 us  524 GFLOP/s    10.0%  ok\n"
            "\n"
            "4 unsupported: needs 2 or more GPUs\n"
            "  4 of gemm/ring/f32/*\n"
            "2 not_measured: the run's budget of 3 min 00 s was spent\n"
            "  gemm/tiled/f32/m=128,n=128,k=128\n"
            "  gemm/tiled/f32/m=256,n=256,k=256\n");
  EXPECT_EQ(outcome_counts(cases), "1 ok, 4 unsupported, 2 not_measured");
}

TEST(CaseTable, FailuresKeepTheirRowsAndShareTheirReason) {
  const std::vector<CaseSummary> cases{
      of("naive", 64, Outcome::crashed, "signal 11"),
      of("tiled", 64, Outcome::crashed, "signal 11"),
      of("wmma", 64, Outcome::timeout, "the case's 20 s were over")};
  EXPECT_EQ(case_table(cases),
            "case     median  outcome\n"
            "gemm/*/f32/m=64,n=64,k=64\n"
            "  naive          crashed\n"
            "  tiled          crashed\n"
            "  wmma           timeout\n"
            "      the case's 20 s were over\n"
            "\n"
            "2 crashed: signal 11\n"
            "  gemm/naive/f32/m=64,n=64,k=64\n"
            "  gemm/tiled/f32/m=64,n=64,k=64\n");
}

TEST(CaseTable, ColoursTheWordOfTheOutcomeAlone) {
  const Look colourful{100, true};
  EXPECT_TRUE(contains(case_table({timed("naive", 64, 1000, 0.1)}, colourful),
                       "10.0%  \x1b[32mok\x1b[0m\n"));
  EXPECT_TRUE(contains(case_table({of("naive", 64, Outcome::crashed, "x")}, colourful),
                       "\x1b[31mcrashed\x1b[0m\n"));
  EXPECT_FALSE(contains(case_table({of("naive", 64, Outcome::crashed, "x")}), "\x1b"));
}

}  // namespace case_table_test
}  // namespace ridgeline::present
