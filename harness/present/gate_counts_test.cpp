// Gates of a device that gives counts, in every format.

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"
#include "harness/present/gate_examples.hpp"
#include "harness/present/gate_progress.hpp"
#include "harness/present/gate_words.hpp"

namespace ridgeline::present {
namespace gate_counts_test {

using examples::counted;
using record::Verdict;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GateCountsReport, TheTableShowsMetricsAndValues) {
  const std::string file = std::string(RIDGELINE_PRESENT_FOLDER) + "/golden/gate_counts.txt";
  const std::string text = gate_text(examples::counts_report());
  if (std::getenv("RIDGELINE_WRITE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(stream), {})) << file;
}

TEST(GateCountsReport, NoFormatSpeaksOfTimes) {
  const GateReport report = examples::counts_report();
  for (const std::string& text :
       {gate_text(report), gate_markdown(report), gate_junit(report), gate_github(report)}) {
    EXPECT_TRUE(contains(text, "global_load_sectors")) << text;
    EXPECT_TRUE(contains(text, "4096")) << text;
    for (const char* word : {"interval", "delta", " pairs", "slower", "noise"})
      EXPECT_FALSE(contains(text, word)) << text;
  }
  EXPECT_TRUE(
      contains(gate_markdown(report),
               "| **regression** | <code>global_load_sectors</code> | 512 | 4096 | 8 | 0% |"));
  EXPECT_TRUE(contains(gate_markdown(report), "<code>re&#124;gisters</code> | 32 |  |  |"));
  EXPECT_TRUE(contains(
      gate_junit(report),
      "<failure message=\"regression: global_load_sectors 512 -&gt; 4096, ratio 8; also worse"));
  EXPECT_TRUE(contains(gate_github(report),
                       "::error title=regression%3A "
                       "copy/strided/f32/n=512::copy/strided/f32/n=512: global_load_sectors "
                       "512 -> 4096, ratio 8; also worse"));
  EXPECT_TRUE(contains(conclusions(report).back(),
                       "a case does not compute what it should; the candidate's counts are worse"));
}

TEST(GateCountsReport, JsonHasTheMetricItsValuesAndNoTimes) {
  const auto verdict =
      json::reread(to_json(counted("copy/a/f32/n=1", Verdict::regression, "barriers", 2, 5)));
  EXPECT_EQ(verdict["metric"], "barriers");
  EXPECT_EQ(verdict["baseline_value"], 2);
  EXPECT_EQ(verdict["candidate_value"], 5);
  EXPECT_EQ(verdict["ratio"], 2.5);
  EXPECT_FALSE(verdict.contains("baseline_ns"));
  const auto timed = json::reread(to_json(examples::judged("a", Verdict::pass, 0, -1, 1)));
  for (const char* key : {"metric", "baseline_value", "candidate_value"})
    EXPECT_FALSE(timed.contains(key)) << key;
}

TEST(GateCountsReport, WhatComesFromNothingStandsFirst) {
  EXPECT_EQ(examples::counts_report().verdicts.at(0).metric, "atomics");
}

TEST(GateCountsReport, ALineSaysTheChange) {
  EXPECT_EQ(one_line(counted("a", Verdict::regression, "barriers", 2, 3, "also worse: x 1 -> 2")),
            "regression: barriers 2 -> 3, ratio 1.5; also worse: x 1 -> 2");
  EXPECT_EQ(one_line(counted("a", Verdict::undecided, "registers", {}, 3, "why")),
            "undecided: registers none -> 3; why");
  EXPECT_EQ(ratio_text(1.0000001), "1.0000001");
  EXPECT_EQ(ratio_text(1), "1");
}

}  // namespace gate_counts_test
}  // namespace ridgeline::present
