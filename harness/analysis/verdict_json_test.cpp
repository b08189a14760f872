#include "harness/analysis/verdict_json.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "harness/base/json_reread.hpp"

namespace ridgeline::analysis {
namespace {

TEST(VerdictNumbers, AreNamedAndLeftOutWhereTheyAreAbsent) {
  record::CaseVerdict verdict;
  verdict.case_name = "synthetic-case";
  verdict.delta = 0.03;
  verdict.ratio = 1.05;
  verdict.ratio_low = 1.04;
  verdict.ratio_high = std::numeric_limits<double>::infinity();
  verdict.baseline_ns = 100;
  verdict.candidate_ns = 105;
  verdict.pairs = 12;
  verdict.dropped = 1;
  verdict.noise = std::numeric_limits<double>::quiet_NaN();
  verdict.p_value = 0.5;
  verdict.level = 0.0;
  json::Value object{{"case", "kept"}};
  put_numbers(object, verdict);
  EXPECT_EQ(json::reread(object),
            nlohmann::ordered_json::parse(R"({"case": "kept", "ratio": 1.05, "ratio_low": 1.04, "delta": 0.03,
      "baseline_ns": 100.0, "candidate_ns": 105.0, "pairs": 12, "dropped": 1, "p_value": 0.5, "level": 0.0})"));
}

TEST(VerdictNumbers, OfWhatWasNotMeasuredAreCountsAlone) {
  json::Value object;
  put_numbers(object, {});
  EXPECT_EQ(object.dump(), R"({"delta":0.0,"pairs":0,"dropped":0})");
}

}  // namespace
}  // namespace ridgeline::analysis
