#include "harness/present/explain.hpp"

#include "harness/base/json.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/process/home.hpp"
#include "harness/run/ladders.hpp"

namespace ridgeline::cli {
namespace {

struct ExplainOptions {
  std::string pattern, run;
};

int explain(const Context& context, const ExplainOptions& options) {
  const auto runs =
      present::find_explanations(context.results, {{options.pattern}, options.run, context.device},
                                 run::load_ladders(process::home()), present::say_left_out);
  if (context.json)
    present::print_json({{"runs", json::list(runs)}});
  else
    present::say(stdout, present::explained_text(runs, present::look_of(stdout).width));
  return present::fine;
}

}  // namespace

void add_explain(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "explain",
                  "Say what bounds a case, by which evidence, and what would settle the rest",
                  R"(
  ridgeline explain CASE                  of each device model, from its newest run with a time
  ridgeline explain CASE latest           from this run
  ridgeline explain 'gemm/*/f32' --device cpu
                                          of devices of this kind, model or UUID
  ridgeline explain CASE --json           for programs

A resource bounds a case that keeps it busy for 80% of the time; from 60% on, the case comes near.
What a case used is read from hardware counters (ridgeline run --counters), else from the counts of
an emulated device, else from what its problem needs; the highest rates are the roofs of the same
run, else a datasheet's, which is said. docs/explain.md has the rule and its limits.)",
                  explain);
  command.option("CASE", options.pattern, "Names of cases; * crosses /",
                 {.value_name = "", .required = true});
  command.option("RUN", options.run, "A run, as for show: latest, a model, label:TEXT, ...");
  command.option("--device", context.device,
                 "cuda:0, words of a model, or the start of a UUID; without it all devices",
                 {.value_name = "ID"});
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
