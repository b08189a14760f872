#include "harness/cli/bisect.hpp"

#include <optional>
#include <string>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/present/json_output.hpp"
#include "harness/process/home.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"

namespace ridgeline::cli {
namespace {

/// What is typed: `options`, and shares and times as text.
struct TypedBisect {
  BisectOptions options;
  std::optional<std::string> delta, error;
  std::string budget;
};

double parse_part(const std::string& option, const std::string& text, double most) {
  const auto value = run::parse_fraction(text);
  if (!value || *value > most)
    throw Error(ErrorKind::usage,
                fmt::format("{} {} is not a share above 0 and {} {}", option, printable(text),
                            most < 1 ? "at most" : "below", most),
                "write 2% or 0.02");
  return *value;
}

int bisect(const Context& context, const TypedBisect& typed) {
  if (context.device.find(',') != std::string::npos)
    throw Error(ErrorKind::usage,
                fmt::format("--device {}: a search is on one device", printable(context.device)),
                "a gate can be on several");
  BisectOptions options = typed.options;
  if (typed.delta) options.delta = parse_part("--delta", *typed.delta, 1);
  if (typed.error) options.error = parse_part("--error", *typed.error, analysis::most_alpha);
  if (!typed.budget.empty()) options.budget_s = run::parse_budget(typed.budget);
  run::parse_seed(options.seed);
  run::load_profile(context.profile.empty() ? "quick" : context.profile, process::home());
  check_folder(context.results);
  const present::BisectReport report = bisect_commits(context, options);
  if (context.json)
    present::print_json(present::to_json(report));
  else
    present::say(stdout, (context.quiet ? "" : "\n") + present::bisect_text(report));
  return report.exit_code;
}

}  // namespace

void add_bisect(Command program, Context& context) {
  const auto [command, typed] =
      add_command(program, context, "bisect", "Find the commit that made a case slower",
                  R"(
  ridgeline bisect CASE --good HEAD~1 --bad HEAD        the commits between, built and gated
  ridgeline bisect CASE --good HEAD~1 --bad HEAD --delta 1%
                                                       when they differ by 1% or more
  ridgeline bisect CASE --good HEAD~1 --bad HEAD --into-merges
                                                       also the commits within merged branches

The first gate shows whether the end points differ. Each other one halves the commits: 64 take 7
gates. Every gate compares a commit with the good one, on this machine, in rounds. The commit that
is named is the wrong one in at most 5% of searches (--error), however many gates a search has. A
gate that cannot decide is repeated with twice the budget; what does not build, or stays undecided,
is left out, and the answer is then several commits. On an emulated device counts decide, exactly.
A search that is started again goes on: gates that are stored are not measured again.
Exit codes: 0 one commit is named, 3 several are, or the end points do not differ, 64 usage, 69 an
end point cannot be built, or a device is missing, 74 a results file, 130 interrupted.)",
                  bisect, "what was measured is stored; the same command goes on with it");
  BisectOptions& options = typed.options;
  command.option("CASE", options.case_name, "The case's whole name", {.required = true});
  command.option("--good", options.good, "A commit from before it was slower: a tag, a hash",
                 {.value_name = "REF", .required = true});
  command.option("--bad", options.bad, "A later commit that is slower",
                 {.value_name = "REF", .required = true});
  command.flag("--into-merges", options.into_merges,
               "Also the commits within merged branches; without it a merge is one step");
  command.option("--delta", typed.delta,
                 "Slow-down that the end points must have; without it 3% on CPUs, 0.5% on GPUs",
                 {.value_name = "SHARE"});
  command.option("--error", typed.error, "Most that the wrong commit may be named; without it 5%",
                 {.value_name = "SHARE"});
  command.option("--budget", typed.budget, "Wall clock of a gate; without it 10m",
                 {.value_name = "TIME"});
  command.option("--attempts", options.attempts, "Gates of a commit until one decides",
                 {.value_name = "N", .default_text = "3", .between = std::pair(1, 10)});
  command.option("--most-gates", options.most_gates,
                 "End after so many; without it three times as many as it takes",
                 {.value_name = "N", .between = std::pair(1, 1000)});
  command.option("--seed", options.seed, "Of orders, inputs and layouts", {.value_name = "N"});
  command.flag("--no-wait", options.no_wait, "Exit 69 when somebody else measures on the device");
  for (const auto add : {add_device_option, add_profile_option, add_results_option})
    add(command, context);
  for (const auto add : {add_json_option, add_quiet_option}) add(command, context);
}

}  // namespace ridgeline::cli
