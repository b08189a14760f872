#include "harness/run/profile.hpp"

#include <cmath>

#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"

/// suites/profiles/*.toml, and the profiles that runs have stored.
namespace ridgeline::fuzzing::targets {

namespace {

void check_duration(double seconds) {
  expect(std::isfinite(seconds) && seconds > 0, fmt::format("a duration of {} s", seconds));
}

void read_profile(std::string_view input) {
  run::Profile read;
  if (!accepts({ErrorKind::usage}, [&] { read = run::parse_profile(input, "profile.toml"); }))
    return;
  for (const double seconds :
       {read.budget_s, read.case_timeout_s, read.sampling.warmup_s, read.sampling.sample_floor_s})
    check_duration(seconds);
  expect(read.sampling.target > 0 && read.sampling.target <= read.sampling.unstable &&
             read.sampling.unstable < 1,
         "a target that cannot be reached");
  expect(read.sampling.min_samples >= 1 && read.sampling.min_samples <= read.sampling.max_samples,
         "no number of samples is enough");
  expect(read.processes >= 1 && read.processes <= 1000, "no number of processes");
  for (const auto& [kind, patterns] : read.cases)
    for (const run::Pattern& pattern : patterns)
      expect(!pattern.text.empty() && pattern.line >= 1, "a pattern of nothing, or from nowhere");
  expect(read.text == input, "another text is stored than was read");
}

std::vector<std::string> profile_seeds() {
  return {R"(# A comment
description = "a minute"
processes = 3
budget = "1h30m"
case_timeout = "20s"

[sampling]
target = 0.05
unstable = "25%"
min_samples = 10
max_samples = 50
warmup = "20ms"
sample_floor = "1us"

[cpu]
cases = ["roofs/copy/*", "!gemm/naive", 'a']

[emulated]
cases = ["gemm/*/m=128,n=128,k=128"]
)",
          "description=\"\"\nprocesses=1\nbudget=\"1s\"\ncase_timeout=\"1ns\"\n"
          "sampling={target=0.5,unstable=0.5,min_samples=1,max_samples=1,warmup=\"1s\"}\n"};
}

}  // namespace

Target profile() {
  return {read_profile,
          profile_seeds,
          4096,
          {"[cuda]", "[[cpu]]", "\"\"\"", "'''", "\\u0000", "\\U0010ffff", "inf", "nan", "1e999",
           "0x7fffffffffffffff", "-9223372036854775808", "2026-12-31", "true", "a.b.c = 1",
           "sampling.target", "\"1h\"", "= {", "[[[["}};
}

}  // namespace ridgeline::fuzzing::targets
