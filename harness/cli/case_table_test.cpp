#include "harness/cli/case_table.hpp"

#include <gtest/gtest.h>

#include "harness/base/json_reread.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::cli {
namespace {

analysis::CaseSummary summary() {
  analysis::CaseSummary made;
  made.case_info = store::examples::gemm_case("ring");
  made.outcome = record::Outcome::ok;
  made.median_ns = 1000;
  return made;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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
  EXPECT_TRUE(contains(case_table({collective}), "5.00 GB/s "));
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
  for (const char* word : {"16384", "6", "1.5", "3 MiB", "counted", "sectors/request"})
    EXPECT_TRUE(contains(text, word)) << word << '\n' << text;
  for (const char* word : {"median", "interval", "rate", "roof"}) EXPECT_FALSE(contains(text, word)) << text;
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
  EXPECT_TRUE(contains(case_table({beating}), "above its roof: a measuring error"));
  EXPECT_EQ(to_json(beating).at("beats_roof"), true);
}

}  // namespace
}  // namespace ridgeline::cli
