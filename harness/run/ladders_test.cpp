#include "harness/run/ladders.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace ladders_test {

constexpr const char* good_ladder = R"([[ladder]]
title = "Products"
device = "cuda"
cases = "gemm/*/f32/m=8"
rungs = ["naive", "gemm/best/f16/m=8"]
references = ["vendor"]
)";

TEST(Ladders, EntriesStandForTheNamesOfCases) {
  const std::vector<analysis::Ladder> ladders = parse_ladders(good_ladder, "l.toml");
  ASSERT_EQ(ladders.size(), 1u);
  EXPECT_EQ(ladders[0].title, "Products");
  EXPECT_EQ(ladders[0].kind, DeviceKind::cuda);
  EXPECT_EQ(ladders[0].rungs,
            (std::vector<std::string>{"gemm/naive/f32/m=8", "gemm/best/f16/m=8"}));
  EXPECT_EQ(ladders[0].references, std::vector<std::string>{"gemm/vendor/f32/m=8"});
}

TEST(Ladders, WhatCannotBeMeantIsRefusedWithItsLine) {
  struct Row {
    const char *from, *to, *failure;
  };
  const Row rows[] = {
      {"title", "tilte", "l.toml:1: title is missing in [[ladder]]"},
      {"\"Products\"", "\"\"", "l.toml:2: title must not be empty"},
      {"\"cuda\"", "\"gpu\"", "l.toml:3: device must be"},
      {"gemm/*/f32", "gemm/naive/f32", "l.toml:4: cases must be the name of a case with one *"},
      {"gemm/*/f32", "gemm/*/*", "l.toml:4: cases must be the name of a case with one *"},
      {"[\"naive\", ", "[7, ", "l.toml:5: a variant or case must be a text"},
      {"[\"vendor\"]", "[]", "l.toml:6: references must be a list"},
      {"[\"vendor\"]", "[\"naive\"]", "l.toml:6: the ladder has gemm/naive/f32/m=8 twice"},
      {"references", "reference", "l.toml:6: unknown key \"reference\" in [[ladder]]"},
      {"[[ladder]]", "[ladder]", "l.toml:1: write [[ladder]] with two brackets"},
  };
  for (const Row& row : rows) {
    std::string text = good_ladder;
    text.replace(text.find(row.from), std::string(row.from).size(), row.to);
    try {
      parse_ladders(text, "l.toml");
      ADD_FAILURE() << "accepted " << row.to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_TRUE(std::string(error.what()).starts_with(row.failure)) << error.what();
    }
  }
  try {
    parse_ladders(std::string(good_ladder) + good_ladder, "l.toml");
    ADD_FAILURE() << "accepted two of one title";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "l.toml:8: another ladder has this title");
  }
}

TEST(Ladders, NotesBelongToTheLaddersThatHaveTheirCases) {
  const std::string other = R"([[ladder]]
title = "Others"
device = "cuda"
cases = "gemm/*/f64/m=8"
rungs = ["naive"]
)";
  const auto notes = [&](const std::string& note) {
    std::vector<std::vector<std::string>> found;
    for (const analysis::Ladder& each : parse_ladders(good_ladder + other + note, "l.toml"))
      found.push_back(each.notes);
    return found;
  };
  using Notes = std::vector<std::vector<std::string>>;
  EXPECT_EQ(notes(""), (Notes{{}, {}}));
  EXPECT_EQ(notes("[[note]]\ncases = [\"gemm/*/f32\", \"gemm/best\"]\ntext = \"Once.\""),
            (Notes{{"Once."}, {}}));
  EXPECT_EQ(notes("[[note]]\ncases = [\"gemm\"]\ntext = \"Both.\""), (Notes{{"Both."}, {"Both."}}));
  const auto refused = [&](const std::string& note) -> std::string {
    try {
      notes(note);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("[[note]]\ncases = [\"rows\"]\ntext = \"?\""),
            "l.toml:13: no ladder has a rung of this pattern");
  EXPECT_EQ(refused("[[note]]\ncases = [7]\ntext = \"?\""),
            "l.toml:13: no ladder has a rung of this pattern");
  EXPECT_EQ(refused("[[note]]\ncases = []\ntext = \"?\""),
            "l.toml:13: cases must be a list of patterns");
  EXPECT_EQ(refused("[[note]]\ncases = [\"gemm\"]\ntext = \"\""),
            "l.toml:14: text must not be empty");
}

TEST(Ladders, ReferencesMayBeLeftOut) {
  std::string text = good_ladder;
  text.erase(text.find("references"));
  EXPECT_TRUE(parse_ladders(text, "l.toml")[0].references.empty());
}

}  // namespace ladders_test
}  // namespace ridgeline::run
