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

}  // namespace
}  // namespace ridgeline::cli
