#pragma once

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"

/// For tests: docs/report-format.md shows what is really written.
namespace ridgeline::present {

/// Where the first JSON block below `heading` begins and ends; two zeros where there is none.
inline std::pair<std::size_t, std::size_t> example_block(const std::string& text,
                                                         const std::string& heading) {
  const std::string fence = "```json\n";
  const std::size_t section = text.find("\n" + heading + "\n");
  if (section == std::string::npos) return {0, 0};
  const std::size_t begin = text.find(fence, section);
  const std::size_t end =
      begin == std::string::npos ? begin : text.find("```", begin + fence.size());
  if (end == std::string::npos) return {0, 0};
  return {begin + fence.size(), end};
}

/// Equal but for the last digits of numbers, which are the library's choice.
inline void expect_same(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                        const std::string& where) {
  if (a.is_number_float() || b.is_number_float()) {
    ASSERT_TRUE(a.is_number() && b.is_number()) << where;
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-9 * std::abs(a.get<double>())) << where;
  } else if (a.is_structured() && b.is_structured()) {
    ASSERT_EQ(a.size(), b.size()) << where;
    auto x = a.items().begin();
    for (const auto& y : b.items()) {
      EXPECT_EQ(x.key(), y.key()) << where;
      expect_same(x.value(), y.value(), where + "/" + y.key());
      ++x;
    }
  } else {
    EXPECT_EQ(a, b) << where;
  }
}

/// That the block below `heading` of the page is `document`. With RIDGELINE_UPDATE_GOLDEN set, it
/// is written there.
inline void expect_documented(const std::string& heading, const json::Value& document) {
  const std::string page = RIDGELINE_DOCS "/report-format.md";
  std::stringstream read;
  read << std::ifstream(page, std::ios::binary).rdbuf();
  std::string text = read.str();
  const auto [begin, end] = example_block(text, heading);
  ASSERT_GT(begin, 0u) << page << " holds no JSON block below " << heading;
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN")) {
    text.replace(begin, end - begin, document.dump(1) + "\n");
    std::ofstream(page, std::ios::binary) << text;
    return;
  }
  expect_same(nlohmann::ordered_json::parse(text.substr(begin, end - begin)),
              json::reread(document), "");
}

}  // namespace ridgeline::present
