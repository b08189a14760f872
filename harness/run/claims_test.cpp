#include "harness/run/claims.hpp"

#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace claims_test {

constexpr const char* good_claim = R"([[claim]]
title = "Speed"
device = "cuda"
says = "Tiles are twice as fast."
conditions = "Of 8."
[[claim.check]]
when = "full"
model = "h100"
quantity = "speed"
of = ["gemm/tiled/f32/m=8", "gemm/best/f32/m=8"]
over = "gemm/naive/f32/m=8"
over_model = "a100"
about = 2
within = "5%"
[[claim.check]]
when = "counted"
quantity = "intensity"
bytes = "counted"
of = "gemm/tiled/f32/m=8"
at_least = 0.5
at_most = 2
[[claim.check]]
when = "never"
missing = "no suite has it"
)";

std::string refusal(const std::string& text) {
  try {
    parse_claims(text, "c.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Claims, SayWhatIsTakenAndItsBorder) {
  const std::vector<analysis::Claim> claims = parse_claims(good_claim, "c.toml");
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].title, "Speed");
  EXPECT_EQ(claims[0].kind, DeviceKind::cuda);
  EXPECT_EQ(claims[0].says, "Tiles are twice as fast.");
  EXPECT_EQ(claims[0].conditions, "Of 8.");
  ASSERT_EQ(claims[0].checks.size(), 3u);
  const auto& [speed, counted, missing] =
      std::tie(claims[0].checks[0], claims[0].checks[1], claims[0].checks[2]);
  EXPECT_EQ(speed.quantity, analysis::Quantity::speed);
  EXPECT_EQ(speed.model, "h100");
  EXPECT_EQ(speed.of, (std::vector<std::string>{"gemm/tiled/f32/m=8", "gemm/best/f32/m=8"}));
  EXPECT_EQ(speed.over, std::vector<std::string>{"gemm/naive/f32/m=8"});
  EXPECT_EQ(speed.over_model, "a100");
  EXPECT_DOUBLE_EQ(analysis::bounds(speed.border).low, 1.9);
  EXPECT_DOUBLE_EQ(analysis::bounds(speed.border).high, 2.1);
  EXPECT_EQ(counted.quantity, analysis::Quantity::intensity);
  EXPECT_TRUE(counted.counted_bytes);
  EXPECT_DOUBLE_EQ(analysis::bounds(counted.border).low, 0.5);
  EXPECT_DOUBLE_EQ(analysis::bounds(counted.border).high, 2);
  EXPECT_EQ(missing.missing, "no suite has it");
}

TEST(Claims, WhatCannotBeMeantIsRefusedWithItsLine) {
  struct Row {
    const char *from, *to, *failure;
  };
  const Row rows[] = {
      {"title", "tilte", "c.toml:1: title is missing in [[claim]]"},
      {"\"Speed\"", "\"\"", "c.toml:2: title must not be empty"},
      {"\"cuda\"", "\"gpu\"", "c.toml:3: device must be"},
      {"\"Tiles are twice as fast.\"", "7", "c.toml:4: says must be a text"},
      {"conditions", "condition", "c.toml:1: conditions is missing"},
      {"\"full\"", "\"never\"", "c.toml:6: each of several checks needs a `when` of its own"},
      {"when = \"full\"\n", "", "c.toml:6: each of several checks needs a `when` of its own"},
      {"\"speed\"", "\"beauty\"", "c.toml:9: there is no such quantity"},
      {"\"gemm/best/f32/m=8\"", "\"gemm/*/f32/m=8\"", "c.toml:10: of must be the whole name"},
      {"\"gemm/best/f32/m=8\"", "\"gemm\"", "c.toml:10: of must be the whole name"},
      {"\"gemm/best/f32/m=8\"", "7", "c.toml:10: of must be the whole name"},
      {"\"gemm/best/f32/m=8\"", "\"gemm/tiled/f32/m=8\"",
       "c.toml:10: of has gemm/tiled/f32/m=8 twice"},
      {"over = \"gemm/naive/f32/m=8\"", "over = []", "c.toml:11: over must not be empty"},
      {"over = \"gemm/naive/f32/m=8\"\n", "", "c.toml:6: over is missing in [[check]]"},
      {"over_model", "under_model", "c.toml:12: unknown key \"under_model\" in [[check]]"},
      {"about = 2", "about = \"2\"", "c.toml:13: about must be a number above 0"},
      {"about = 2", "about = nan", "c.toml:13: about must be a number above 0"},
      {"about = 2", "about = inf", "c.toml:13: about must be a number above 0"},
      {"about = 2", "about = -2", "c.toml:13: about must be a number above 0"},
      {"about = 2\n", "", "c.toml:6: a check needs either about, or at_least"},
      {"about = 2", "about = 2\nat_most = 3", "c.toml:6: a check needs either about"},
      {"\"5%\"", "\"500%\"", "c.toml:14: within must be a fraction"},
      {"\"counted\"\nof", "\"all\"\nof", "c.toml:18: bytes must be \"least\" or \"counted\""},
      {"at_most = 2", "at_most = 0.1", "c.toml:21: at_most must not be below at_least"},
      {"at_most = 2", "within = 0.1", "c.toml:21: unknown key \"within\""},
      {"at_most = 2", "peak = \"dram\"", "c.toml:21: unknown key \"peak\""},
      {"\"no suite has it\"", "\"\"", "c.toml:24: missing must not be empty"},
      {"missing", "about = 1\nmissing", "c.toml:24: unknown key \"about\""},
      {"[[claim.check]]", "[claim.check]", "c.toml:"},
  };
  for (const Row& row : rows) {
    std::string text = good_claim;
    text.replace(text.find(row.from), std::string(row.from).size(), row.to);
    EXPECT_TRUE(refusal(text).starts_with(row.failure)) << row.to << ": " << refusal(text);
  }
  EXPECT_EQ(refusal(std::string(good_claim) + good_claim),
            "c.toml:26: another claim has this title");
  const std::string none = good_claim;
  EXPECT_EQ(refusal(none.substr(0, none.find("[[claim.check"))),
            "c.toml:1: a claim needs a [[claim.check]]");
  EXPECT_NE(refusal("not a claim"), "");
}

TEST(Claims, QuantitiesHaveTheirOwnKeys) {
  const auto of = [](const std::string& keys) {
    return parse_claims(
               "[[claim]]\ntitle = \"T\"\ndevice = \"cuda\"\nsays = \"S\"\n"
               "conditions = \"C\"\n[[claim.check]]\nof = \"a/b/f32\"\n" +
                   keys,
               "c.toml")[0]
        .checks[0];
  };
  EXPECT_EQ(of("quantity = \"share\"\npeak = \"tensor.f16\"\nat_least = 1").peak, "tensor.f16");
  EXPECT_EQ(of("quantity = \"growth\"\nby = \"seq\"\nover = \"a/b/f64\"\nabout = 2").by, "seq");
  EXPECT_DOUBLE_EQ(of("quantity = \"ridge\"\nover = \"a/b/f64\"\nabout = 295").border.within, 0.1);
  EXPECT_FALSE(of("quantity = \"intensity\"\nbytes = \"least\"\nat_most = 2").counted_bytes);
}

}  // namespace claims_test
}  // namespace ridgeline::run
