#include <algorithm>
#include <cstdio>
#include <future>
#include <memory>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/json_output.hpp"
#include "harness/run/selection.hpp"

namespace ridgeline::cli {
namespace {

using analysis::ComparedSide;
using store::FoundRun;

struct CompareOptions {
  std::string a, b;
  std::vector<std::string> patterns;
  bool markdown = false, csv = false;
};

int compare(const Context& context, const CompareOptions& options) {
  const FoundRun a = store::find_run(context.results, options.a, present::say_left_out);
  const FoundRun b = store::find_run(context.results, options.b, [](const Error&) {});  // said already
  const present::ComparedRuns compared = present::compare_runs(a, b, options.patterns);
  if (context.json)
    present::print_json(present::comparison_json(compared));
  else
    fmt::print("{}", options.markdown ? present::comparison_markdown(compared)
                     : options.csv    ? present::comparison_csv(compared)
                                      : present::comparison_text(compared, present::look_of(stdout).width));
  if (present::compared_cases(compared) > 0) return present::fine;
  fmt::print(stderr, "ridgeline: no case was measured well on both sides: there is nothing to compare\n");
  return present::undecided;
}

}  // namespace

void add_compare(Command program, Context& context) {
  const auto options = std::make_shared<CompareOptions>();
  const Command command = add_command(
      program, context, "compare", "Compare two device models, or any two runs: never a verdict",
      "  ridgeline compare h100 a100                    the latest run of each model\n"
      "  ridgeline compare h100 a100 'gemm/*'           these cases alone\n"
      "  ridgeline compare h200@baseline:main h200      a baseline with the latest run\n"
      "  ridgeline compare h100 a100 --markdown         for a page; also --csv, --json\n\n"
      "Ratios are the time of B over that of A: above 1, B takes longer. Beside each stands what the two rooflines\n"
      "alone predict, what each side reaches of its own roof, and what explains the rest: nothing (hardware), the\n"
      "distance from the roof, or the environment. Other builds, profiles, inputs and settings are named. Counts of\n"
      "emulated devices are compared exactly. Whether a change made kernels slower is for ridgeline gate to say.\n"
      "Exit codes: 0 compared, 3 no case was measured well on both sides. docs/how-to-compare.md explains it all.",
      [&context, options] { return compare(context, *options); });
  command.option("A", options->a, "A run, as for show: a model (its latest run), MODEL@label:TEXT, ...").required();
  command.option("B", options->b, "The run that is set against it").required();
  command.option("PATTERN", options->patterns, "Globs on case names; all cases without any");
  add_results_option(command, context);
  const Option markdown = command.flag("--markdown", options->markdown, "Print Markdown");
  const Option csv = command.flag("--csv", options->csv, "Print one row a case");
  const Option json = add_json_option(command, context);
  csv.excludes(markdown).excludes(json);
  markdown.excludes(json);
}

}  // namespace ridgeline::cli
