#include <cstdio>

#include <fmt/core.h>

#include "harness/cli/case_files.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::cli {
namespace {

struct CompareOptions {
  std::string a, b;
  std::vector<std::string> patterns;
  bool markdown = false, csv = false;
};

int compare(const Context& context, const CompareOptions& options) {
  const present::ComparedRuns compared = present::compare_runs(
      present::find_sides(context.results, options.a, options.b, present::say_left_out),
      stored_patterns(options.patterns));
  if (context.json)
    present::print_json(present::comparison_json(compared));
  else
    present::say(stdout, options.markdown ? present::comparison_markdown(compared)
                         : options.csv
                             ? present::comparison_csv(compared)
                             : present::comparison_text(compared, present::look_of(stdout).width));
  if (present::compared_cases(compared) > 0) return present::fine;
  present::say(
      stderr,
      fmt::format(
          "ridgeline: no case was measured well on both sides: there is nothing to compare\n"));
  return present::undecided;
}

}  // namespace

void add_compare(Command program, Context& context) {
  const auto [command, options] = add_command(
      program, context, "compare", "Compare two device models, or any two runs: never a verdict",
      R"(
  ridgeline compare h100 a100                    the latest run of each model
  ridgeline compare h100 a100 'gemm/*'           these cases alone
  ridgeline compare h200@baseline:main h200      a baseline with the latest run
  ridgeline compare h100 a100 --markdown         for a page; also --csv, --json

Ratios are the time of B over that of A: above 1, B takes longer. Beside each stands what the two
rooflines alone predict, what each side reaches of its own roof, and what explains the rest: nothing
(hardware), the distance from the roof, or the environment. Other builds, profiles, inputs and
settings are named. Of two GPUs that run --device all measured together, it says which is slower, or
how small a difference can be. Counts of emulated devices are compared exactly. Whether a change made kernels
slower is for ridgeline gate to say.
Exit codes: 0 compared, 3 no case was measured well on both sides. docs/how-to-compare.md explains
it all.)",
      compare);
  command.option("A", options.a,
                 "A run, as for show: a model (its latest run), MODEL@label:TEXT, ...",
                 {.required = true});
  command.option("B", options.b, "The run that is set against it", {.required = true});
  command.option("PATTERN", options.patterns, "Globs on case names; all cases without any");
  add_results_option(command, context);
  command.flag("--markdown", options.markdown, "Print Markdown");
  command.flag("--csv", options.csv, "Print one row per case");
  add_json_option(command, context);
  command.exclusive({"--markdown", "--csv", "--json"});
}

}  // namespace ridgeline::cli
