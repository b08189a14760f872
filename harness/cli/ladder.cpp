#include <cstdio>

#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/ladders.hpp"
#include "harness/process/home.hpp"
#include "harness/run/ladders.hpp"

namespace ridgeline::cli {
namespace {

struct LadderOptions {
  std::string run;
  bool summary = false, markdown = false;
};

int ladder(const Context& context, const LadderOptions& options) {
  const auto models =
      present::find_ladders(context.results, options.run, run::load_ladders(process::home()));
  const auto detail = options.summary ? present::Detail::last_rungs : present::Detail::rungs;
  if (context.json)
    present::print_json(present::to_json(models));
  else
    present::say(stdout, options.markdown ? present::ladders_markdown(models, detail)
                                          : present::ladders_text(models, detail,
                                                                  present::look_of(stdout).width));
  if (!models.empty()) return present::fine;
  present::say(stderr,
               "ridgeline: no stored run has a time of any rung; ridgeline run --profile ladders "
               "takes them\n");
  return present::undecided;
}

}  // namespace

void add_ladder(Command program, Context& context) {
  const auto [command, options] = add_command(
      program, context, "ladder",
      "Show ladders of kernels: what each idea bought, and how far the last is from the vendor",
      R"(
  ridgeline ladder                       of each device model, each ladder from the run that
                                         measured most of it
  ridgeline ladder latest                from one run
  ridgeline ladder --summary             the last rung of each ladder alone
  ridgeline ladder --markdown            for a page; also --json

A ladder is a list of cases that solve one problem, each by one idea more than the one before;
suites/ladders.toml names them. Ratios are of rates: above 1, the rung is faster. All of a ladder
comes from one run. ridgeline run --profile ladders measures them all.
Exit codes: 0 shown, 3 no run has a time of any rung. docs/ladders.md explains the columns.)",
      ladder);
  command.option("RUN", options.run, "A run, as for show: latest, a model, label:TEXT, ...");
  command.flag("--summary", options.summary, "One row for each ladder");
  add_results_option(command, context);
  command.flag("--markdown", options.markdown, "Print Markdown");
  add_json_option(command, context);
  command.exclusive({"--markdown", "--json"});
}

}  // namespace ridgeline::cli
