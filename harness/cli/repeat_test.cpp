#include "harness/present/repeat.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/shell.hpp"
#include "harness/cli/command.hpp"

namespace ridgeline::cli {
namespace repeat_test {

using present::repeating_line;
using present::values_of;

TEST(RepeatingLine, IsTheTypedOneWithWhatItLeftToChance) {
  const auto line = [](const std::string& typed, const std::vector<std::string>& cases = {}) {
    return repeating_line(typed, "cuda:0", 7, cases);
  };
  EXPECT_EQ(line("ridgeline run"), "ridgeline run --device cuda:0 --seed 7");
  EXPECT_EQ(line("ridgeline run gemm 'roofs/*'"),
            "ridgeline run --device cuda:0 --seed 7 gemm 'roofs/*'");
  EXPECT_EQ(line("ridgeline run --seed 3 --device cpu gemm"),
            "ridgeline run --seed 3 --device cpu gemm");
  EXPECT_EQ(line("ridgeline run --seed=3 --device=cpu -- gemm"),
            "ridgeline run --seed=3 --device=cpu gemm");
  EXPECT_EQ(line("ridgeline run --device cpu --label 'try --seed 3'"),
            "ridgeline run --device cpu --label 'try --seed 3' --seed 7");
}

TEST(RepeatingLine, HasCasesInPlaceOfPatternsAndKeepsTheOptions) {
  const std::vector<std::string> typed{
      "ridgeline",   "run", "--quiet",  "gemm",  "--profile", "./my own.toml",
      "--worker",    "./w", "--worker", "it's",  "--budget",  "30s",
      "--processes", "3",   "scan",     "--json"};
  EXPECT_EQ(repeating_line(shell_line(typed), "cpu", 1, {"gemm/a/f32/n=1", "scan/b/f32/n=1"}),
            "ridgeline run --quiet --profile './my own.toml' --worker ./w --worker 'it'\\''s' "
            "--budget 30s --processes 3 "
            "--json --device cpu --seed 1 gemm/a/f32/n=1 scan/b/f32/n=1");
}

TEST(RepeatingLine, OfAGateNamesItsCommitsAndWritesNoOtherFormat) {
  EXPECT_EQ(repeating_line("ridgeline gate --baseline-ref main --candidate-ref=HEAD --markdown "
                           "out.md --github --strict gemm",
                           "cpu", 1, {}, {{"--baseline-ref", "1a2b"}, {"--candidate-ref", "3c4d"}}),
            "ridgeline gate --baseline-ref 1a2b --candidate-ref 3c4d --strict --device cpu --seed "
            "1 gemm");
}

TEST(RepeatingLine, CutsTheLineAsTheCommandDeclaresItsOptions) {
  const std::pair<const char*, const char*> rows[] = {
      {"run --quiet gemm --label --quiet scan", "run --quiet --label --quiet"},
      {"run --label=try gemm --quiet", "run --label=try --quiet"},
      {"run --unfit busy --quiet gemm --unfit=hot", "run --quiet"},
      {"run --worker a gemm --worker=b scan", "run --worker a --worker=b"},
      {"run --quiet -- --label gemm", "run --quiet"},
      {"run --of-another-version gemm scan", "run --of-another-version gemm"},
      {"gate --aa gemm --strict", "gate --aa --strict"},
      {"gate --delta 1% gemm", "gate --delta 1%"},
  };
  for (const auto& [typed, options] : rows)
    EXPECT_EQ(repeating_line(std::string("ridgeline ") + typed, "cpu", 7, {"scan/b/f32/n=1"}),
              fmt::format("ridgeline {} --device cpu --seed 7 scan/b/f32/n=1", options));
}

TEST(RepeatingLine, KnowsTheOptionsOfEveryCommandThatStoresOne) {
  Context context;
  Program program("ridgeline", "", "", [] { return std::string("1"); });
  for (const auto add : {add_run, add_gate}) add(program.root(), context);
  for (const Command& command : program.root().commands())
    for (const OptionFacts& option : command.options()) {
      if (option.names.empty()) continue;
      const std::string& name = option.names.back();
      if (name == "--help" || name == "--markdown" || name == "--junit" || name == "--github" ||
          name == "--unfit")
        continue;
      const std::string typed = option.takes_value ? name + " value" : name;
      EXPECT_EQ(
          repeating_line(
              "ridgeline " + command.name() + " --device cpu --seed 1 " + typed + " gemm", "", 0,
              {"scan/b/f32/n=1"}),
          "ridgeline " + command.name() + " --device cpu --seed 1 " + typed + " scan/b/f32/n=1");
    }
}

TEST(RepeatingFailures, NamesWhatFailedOrWhereThatIsTooMuchTheWholeRun) {
  std::vector<analysis::CaseSummary> summaries(21);
  for (analysis::CaseSummary& one : summaries) one.outcome = record::Outcome::ok;
  record::Run run;
  run.command_line = "ridgeline run --seed 3 --device cpu gemm";
  run.seed = 3;
  const auto line = [&] { return present::repeating_failures(run, "cpu", summaries); };
  EXPECT_EQ(line(), "");
  summaries[4].outcome = record::Outcome::crashed;
  summaries[4].case_info.id = {"gemm", "naive", "f32", {{"n", "1"}}, {}};
  EXPECT_EQ(line(), "ridgeline run --seed 3 --device cpu gemm/naive/f32/n=1");
  for (analysis::CaseSummary& one : summaries) one.outcome = record::Outcome::crashed;
  EXPECT_EQ(line(), "ridgeline run --seed 3 --device cpu gemm") << "and not some of them alone";
  run.imported = "nvbench";
  EXPECT_EQ(line(), "") << "no command measures it again";
}

TEST(ValuesOf, ReadsAnOptionFromAStoredLine) {
  const std::string line =
      "ridgeline run --label '--budget 5s' --budget 30s --worker ./w --worker='my worker' --json "
      "--budget=1m gemm -- "
      "--budget 7s";
  EXPECT_EQ(values_of(line, "--budget"), (std::vector<std::string>{"30s", "1m"}));
  EXPECT_EQ(values_of(line, "--worker"), (std::vector<std::string>{"./w", "my worker"}));
  EXPECT_EQ(values_of(line, "--processes"), std::vector<std::string>{});
  EXPECT_EQ(values_of("ridgeline run --budget", "--budget"), std::vector<std::string>{});
}

}  // namespace repeat_test
}  // namespace ridgeline::cli
