#include "harness/cli/repeat.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/shell.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/program.hpp"

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

TEST(RepeatingLine, CutsTheLineAsTheCommandDeclaresItsOptions) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"run", "--swift", "gemm", "--colour", "--swift", "scan"}, "--swift --colour --swift"},
      {{"run", "--colour=red", "gemm", "--swift"}, "--colour=red --swift"},
      {{"run", "--sizes", "1", "2", "--swift", "gemm"}, "--sizes 1 2 --swift"},
      {{"run", "--sizes", "1", "2", "3", "4"}, "--sizes 1 2 3 4"},
      {{"run", "--worker", "a", "gemm", "--worker=b", "scan"}, "--worker a --worker=b"},
      {{"run", "--swift", "--", "--colour", "gemm"}, "--swift"},
  };
  for (const auto& [typed, options] : rows) {
    Program program("ridgeline", "", "", "1");
    const Command command = program.root().command("run", "", "", [] {});
    bool swift = false;
    std::string colour;
    std::vector<std::string> sizes, workers, patterns;
    command.flag("--swift", swift, "");
    command.option("--colour", colour, "");
    command.option("--sizes", sizes, "").values(2);
    command.option("--worker", workers, "").one_value();
    command.option("PATTERN", patterns, "");
    program.parse(typed);  // which says what are values, and what patterns

    std::vector<std::string> words{"ridgeline"};
    words.insert(words.end(), typed.begin(), typed.end());
    const std::vector<LinePart> line = line_parts(words, command.most_values());
    std::vector<std::string> cut;
    for (std::size_t i = 2; i < line.size(); ++i)
      if (line[i].option.empty()) cut.push_back(line[i].words.front());
    EXPECT_EQ(cut, patterns) << options;
    EXPECT_EQ(repeating_line(line, "cpu", 1, {"scan/b/f32/n=1"}),
              fmt::format("ridgeline run {} --device cpu --seed 1 scan/b/f32/n=1", options));
  }
}

TEST(RepeatingLine, KnowsTheOptionsOfEveryCommandThatStoresOne) {
  Context context;
  Program program("ridgeline", "", "", "1");
  for (const auto add : {add_run, add_gate}) add(program.root(), context);
  for (const Command& command : program.root().commands())
    for (const auto& [option, most] : command.most_values()) {
      if (option == "--help" || option == "--markdown" || option == "--junit" || option == "--github") continue;
      ASSERT_LE(most, 1) << option;
      const std::string typed = most == 0 ? option : option + " value";
      EXPECT_EQ(repeating_line("ridgeline " + command.name() + " --device cpu --seed 1 " + typed + " gemm", "", 0,
                               {"scan/b/f32/n=1"}),
                "ridgeline " + command.name() + " --device cpu --seed 1 " + typed + " scan/b/f32/n=1");
    }
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
