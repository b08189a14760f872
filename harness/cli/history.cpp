#include "harness/present/history.hpp"

#include "harness/base/json.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::cli {
namespace {

struct HistoryOptions {
  std::vector<std::string> patterns;
  int limit = 30;
};

int history(const Context& context, const HistoryOptions& options) {
  const auto found = present::find_history(
      context.results,
      {stored_patterns(options.patterns), context.device, static_cast<std::size_t>(options.limit)},
      present::say_left_out);
  if (context.json)
    present::print_json({{"cases", json::list(found)}});
  else
    present::say(stdout, present::history_text(found, present::glyphs_of_locale(),
                                               present::look_of(stdout).width));
  return present::fine;
}

}  // namespace

void add_history(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "history", "Show what a case came to, run after run",
                  R"(
  ridgeline history CASE                  on each device, the newest 30 runs
  ridgeline history CASE --limit 5        the newest five
  ridgeline history CASE --device cpu     on devices of this kind, model or UUID

A letter stands for an environment: where it changes, so did the machine, and what changed is said
below. In the line of values, x is a run that has none; its row says why. Runs that a gate measured
are left out. ridgeline trend says which changes are more than noise.)",
                  history);
  command.option("CASE", options.patterns, "Names of cases; * crosses /",
                 {.value_name = "", .required = true});
  command.option("--device", context.device,
                 "cuda:0, words of a model, or the start of a UUID; without it all devices",
                 {.value_name = "ID"});
  command.option("--limit", options.limit, "Of each case, the newest N runs",
                 {.value_name = "N", .default_text = "30", .between = std::pair(1, 1000000)});
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
