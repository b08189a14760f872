#include "harness/run/profile.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace profile_test {

constexpr const char* good = R"(description = "for tests"
processes = 3
budget = "2m"
case_timeout = "10s"

[sampling]
target = 0.01
unstable = 0.05
min_samples = 10
max_samples = 500
warmup = "200ms"

[cpu]
cases = [
  "gemm",
  "roofs/*",
]
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Profile, ReadsEveryKey) {
  const Profile profile = parse_profile(good, "some/quick.toml");
  EXPECT_EQ(profile.name, "quick");
  EXPECT_EQ(profile.text, good);
  EXPECT_EQ(profile.processes, 3);
  EXPECT_DOUBLE_EQ(profile.budget_s, 120);
  EXPECT_DOUBLE_EQ(profile.case_timeout_s, 10);
  EXPECT_DOUBLE_EQ(profile.sampling.target, 0.01);
  EXPECT_EQ(profile.sampling.max_samples, 500);
  EXPECT_DOUBLE_EQ(profile.sampling.warmup_s, 0.2);
  ASSERT_EQ(profile.cases.at(DeviceKind::cpu).size(), 2u);
  EXPECT_EQ(profile.cases.at(DeviceKind::cpu)[1].text, "roofs/*");
  EXPECT_EQ(profile.cases.at(DeviceKind::cpu)[1].line, 16);
  EXPECT_FALSE(profile.cases.at(DeviceKind::cpu)[1].takes_away);
  EXPECT_FALSE(profile.cases.contains(DeviceKind::cuda));
  EXPECT_EQ(profile.sampling.energy_s, 0);
  EXPECT_EQ(profile.sampling.energy_processes, 1);
  const std::string energy = replaced(
      good, "warmup = \"200ms\"", "warmup = \"200ms\"\nenergy = \"0.5s\"\nenergy_processes = 4");
  EXPECT_DOUBLE_EQ(parse_profile(energy, "e.toml").sampling.energy_s, 0.5);
  EXPECT_EQ(parse_profile(energy, "e.toml").sampling.energy_processes, 4);
}

TEST(Profile, RefusesWithFileAndLine) {
  struct Row {
    const char *from, *to, *failure, *advice;
  };
  const Row rows[] = {
      {"processes", "proceses", "p.toml:1: processes is missing", ""},
      {"[cpu]", "bugdet = 1\n[cpu]", "p.toml:13: unknown key \"bugdet\" in [sampling]", ""},
      {"processes = 3", "processes = 3\nbugdet = 1", "p.toml:3: unknown key \"bugdet\"",
       "did you mean budget?"},
      {"[cpu]", "[gpu]", "p.toml:13: unknown key \"gpu\"", "did you mean cpu?"},
      {"budget = \"2m\"", "budget = \"0s\"", "p.toml:3: budget must be a duration above 0", ""},
      {"budget = \"2m\"", "budget = -1", "p.toml:3: budget must be a duration above 0", ""},
      {"processes = 3", "processes = 0",
       "p.toml:2: processes must be a whole number from 1 to 1000", ""},
      {"processes = 3", "processes = \"3\"", "p.toml:2: processes must be a whole number", ""},
      {"target = 0.01", "target = 1", "p.toml:7: target must be a fraction", ""},
      {"target = 0.01", "target = 0.2", "p.toml:8: unstable is below target", ""},
      {"max_samples = 500", "max_samples = 5", "p.toml:10: max_samples is below min_samples", ""},
      {"\"gemm\",", "3,", "p.toml:15: a case pattern must be a text", ""},
      {"\"gemm\",", "\"!\",", "p.toml:15: a case pattern must be a text", ""},
      {"\"gemm\",", "gemm,", "p.toml:15: ", ""},
      {"[sampling]", "sampling = 3", "p.toml:6: sampling must be a section", ""},
  };
  for (const Row& row : rows) {
    try {
      parse_profile(replaced(good, row.from, row.to), "p.toml");
      ADD_FAILURE() << "accepted " << row.to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_TRUE(std::string(error.what()).starts_with(row.failure)) << error.what();
      if (*row.advice) {
        EXPECT_EQ(error.advice(), row.advice);
      }
    }
  }
}

TEST(Profile, WhatTheParserSaysIsOneLine) {
  try {
    parse_profile("processes = f\n", "p.toml");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

}  // namespace profile_test
}  // namespace ridgeline::run
