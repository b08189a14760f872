#include "harness/cli/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <future>
#include <memory>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/json_output.hpp"
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

ComparedSide read(const FoundRun& found) {
  const store::Store store = store::Store::open(found.file);
  const std::string& id = found.summary.run.id;
  return {found.summary.run, found.summary.device, store.environment(id),
          store.builds(id),  store.roofs(id),      store.timings(id)};
}

std::vector<store::StoredMeasurement> read_counts(const FoundRun& found) {
  return store::Store::open(found.file).measurements(found.summary.run.id, store::Samples::leave_out);
}

/// Throws a usage Error when a pattern picks no case of either side.
void check_patterns(const std::vector<std::string>& patterns, const ComparedSide& a, const ComparedSide& b) {
  if (patterns.empty()) return;
  std::vector<std::string> names;
  for (const ComparedSide* side : {&a, &b})
    for (const record::Case& info : side->timings.cases) names.push_back(record::name(info.id));
  if (names.empty())
    throw Error(ErrorKind::usage, "neither run holds a measurement", "ridgeline runs says what each run holds");
  run::check_patterns(patterns, names);
}

int compare(const Context& context, const CompareOptions& options) {
  const FoundRun a = store::find_run(context.results, options.a, say_left_out);
  const FoundRun b = store::find_run(context.results, options.b, [](const Error&) {});  // said already
  const ComparedRuns compared = compare_runs(a, b, options.patterns);
  if (context.json)
    print_json(comparison_json(compared));
  else
    fmt::print("{}", options.markdown ? comparison_markdown(compared)
                     : options.csv    ? comparison_csv(compared)
                                      : comparison_text(compared));
  if (compared_cases(compared) > 0) return fine;
  fmt::print(stderr, "ridgeline: no case was measured well on both sides: there is nothing to compare\n");
  return undecided;
}

}  // namespace

ComparedRuns compare_runs(const FoundRun& a_run, const FoundRun& b_run, const std::vector<std::string>& patterns) {
  const std::string &a_id = a_run.summary.run.id, &b_id = b_run.summary.run.id;
  if (a_id == b_id)
    throw Error(ErrorKind::usage, fmt::format("cannot compare run {} with itself", a_id),
                "ridgeline runs lists the runs; MODEL@latest, label:TEXT, baseline:NAME or an id name one");
  const bool a_counts = analysis::gives_counts(a_run.summary.device.kind),
             b_counts = analysis::gives_counts(b_run.summary.device.kind);
  if (a_counts != b_counts)
    throw Error(ErrorKind::usage,
                fmt::format("cannot compare run {}, which {}, with run {}, which {}", a_id,
                            a_counts ? "counted" : "has times", b_id, b_counts ? "counted" : "has times"),
                "ridgeline predict puts counts beside times: as bounds");
  std::future<ComparedSide> reading_b = std::async(std::launch::async, [&] { return read(b_run); });  // beside A
  const ComparedSide a = read(a_run), b = reading_b.get();
  check_patterns(patterns, a, b);
  ComparedRuns compared{a_run, b_run, analysis::compare(a, b, patterns), a_counts, {}};
  if (a_counts) compared.counted = analysis::compare_counts(read_counts(a_run), read_counts(b_run), patterns);
  return compared;
}

int compared_cases(const ComparedRuns& compared) {
  if (compared.counts)
    return static_cast<int>(
        std::ranges::count_if(compared.counted, [](const auto& one) { return one.not_compared.empty(); }));
  return static_cast<int>(
      std::ranges::count_if(compared.comparison.cases, [](const auto& one) { return one.ratio.has_value(); }));
}

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
