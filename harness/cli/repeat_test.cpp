#include "harness/cli/repeat.hpp"

#include <gtest/gtest.h>

#include "harness/cli/command.hpp"

namespace ridgeline::cli {
namespace {

TEST(RepeatingLine, IsTheTypedOneWithWhatItLeftToChance) {
  const auto line = [](const std::string& typed, const std::vector<std::string>& cases = {}) {
    return repeating_line(typed, "cuda:0", 7, cases);
  };
  EXPECT_EQ(line("ridgeline run"), "ridgeline run --device cuda:0 --seed 7");
  EXPECT_EQ(line("ridgeline run gemm 'roofs/*'"), "ridgeline run --device cuda:0 --seed 7 gemm 'roofs/*'");
  EXPECT_EQ(line("ridgeline run --seed 3 --device cpu gemm"), "ridgeline run --seed 3 --device cpu gemm");
  EXPECT_EQ(line("ridgeline run --seed=3 --device=cpu -- gemm"), "ridgeline run --seed=3 --device=cpu gemm");
  EXPECT_EQ(line("ridgeline run --device cpu --label 'try --seed 3'"),
            "ridgeline run --device cpu --label 'try --seed 3' --seed 7");
}

TEST(RepeatingLine, HasCasesInPlaceOfPatternsAndKeepsTheOptions) {
  const std::vector<std::string> typed{"ridgeline",   "run", "--quiet",  "gemm",  "--profile", "./my own.toml",
                                       "--worker",    "./w", "--worker", "it's",  "--budget",  "30s",
                                       "--processes", "3",   "scan",     "--json"};
  EXPECT_EQ(
      repeating_line(shell_line(typed), "cpu", 1, {"gemm/a/f32/n=1", "scan/b/f32/n=1"}),
      "ridgeline run --quiet --profile './my own.toml' --worker ./w --worker 'it'\\''s' --budget 30s --processes 3 "
      "--json --device cpu --seed 1 gemm/a/f32/n=1 scan/b/f32/n=1");
}

TEST(RepeatingLine, OfAGateNamesItsCommitsAndWritesNoOtherFormat) {
  EXPECT_EQ(
      repeating_line("ridgeline gate --baseline-ref main --candidate-ref=HEAD --markdown out.md --github --strict gemm",
                     "cpu", 1, {}, {{"--baseline-ref", "1a2b"}, {"--candidate-ref", "3c4d"}}),
      "ridgeline gate --baseline-ref 1a2b --candidate-ref 3c4d --strict --device cpu --seed 1 gemm");
}

TEST(ValuesOf, ReadsAnOptionFromAStoredLine) {
  const std::string line =
      "ridgeline run --label '--budget 5s' --budget 30s --worker ./w --worker='my worker' --json --budget=1m gemm -- "
      "--budget 7s";
  EXPECT_EQ(values_of(line, "--budget"), (std::vector<std::string>{"30s", "1m"}));
  EXPECT_EQ(values_of(line, "--worker"), (std::vector<std::string>{"./w", "my worker"}));
  EXPECT_EQ(values_of(line, "--processes"), std::vector<std::string>{});
  EXPECT_EQ(values_of("ridgeline run --budget", "--budget"), std::vector<std::string>{});
}

}  // namespace
}  // namespace ridgeline::cli
