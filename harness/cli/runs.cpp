#include <cstdio>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/json_output.hpp"
#include "harness/cli/run_text.hpp"
#include "harness/cli/table.hpp"

namespace ridgeline::cli {
namespace {

int runs(const Context& context) {
  const std::vector<store::FoundRun> runs = store::all_runs(context.results, say_left_out);
  if (context.json) {
    nlohmann::ordered_json all{{"runs", nlohmann::ordered_json::array()}};
    for (const store::FoundRun& found : runs) {
      all["runs"].push_back(to_json(found));
      all["runs"].back()["status"] = status(found, runs);
    }
    print_json(all);
    return fine;
  }
  Table table({{"run"}, {"started (UTC)"}, {"device"}, {"profile"}, {"label"}, {"status"}, {"measurements"}});
  for (const store::FoundRun& found : runs) {
    const record::Run& run = found.summary.run;
    table.add({run.id, point_in_time(run.started), printable(found.summary.device.model), printable(run.profile),
               printable(run.label), status(found, runs), outcome_counts(found.summary)});
  }
  fmt::print("{}", table.text());
  return fine;
}

}  // namespace

void add_runs(CLI::App& program, Context& context) {
  CLI::App& command = add_command(
      program, context, "runs", "List the runs in the results folder, newest first",
      "  ridgeline runs                     one line a run, all device models\n"
      "  ridgeline runs --results old       of another folder\n"
      "  ridgeline runs --json              the same with all that is stored of each\n\n"
      "Status: finished, interrupted (what was done is stored), failed, running; killed is a run that never ended and\n"
      "whose device has measured again since.",
      [&context] { return runs(context); });
  add_results_option(command, context);
  add_json_option(command, context);
}

}  // namespace ridgeline::cli
