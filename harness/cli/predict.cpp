#include <fmt/core.h>

#include "harness/cli/command.hpp"
#include "harness/present/bounds.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::cli {
namespace {

struct PredictCommand : present::PredictOptions {
  bool markdown = false;
};

int predict(const Context& context, const PredictCommand& options) {
  const std::vector<present::DeviceBounds> devices = present::find_bounds(context.results, options);
  if (context.json)
    present::print_json(present::to_json(devices));
  else
    present::say(stdout, options.markdown
                             ? present::bounds_markdown(devices)
                             : present::bounds_text(devices, present::look_of(stdout).width));
  return present::fine;
}

}  // namespace

void add_predict(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "predict",
                  "Bound the time of counted cases on GPUs of the catalogue: never a forecast",
                  R"(
  ridgeline predict 'coalescing/*' --on h200       the least time that its counts allow, and why
  ridgeline predict gemm --on a100,h100,h200       on three GPUs; a100-pcie-40gb and the like are
                                                   others
  ridgeline predict --on h100 --run label:mine     of all cases that one run has counted
  ridgeline predict gemm --on h200 --markdown      for a page; also --json

Counts come from runs on an emulated device, the latest of each case: ridgeline run --device
emulated:sm_80 for the A100, emulated:sm_90 for H100 and H200. Stored measurements of cases with the
same name on the same model stand beside their bounds. docs/how-to-predict.md says what a bound
contains and what it leaves out.)",
                  predict);
  command.option("PATTERN", options.patterns, "Which counted cases; all without one");
  command.option(
      "--on", options.devices, "GPUs of the catalogue, separated by commas",
      {.value_name = "DEVICE,...", .required = true, .one_value = true, .separator = ','});
  command.option("--run", options.run, "Take the counts of this run alone", {.value_name = "RUN"});
  add_results_option(command, context);
  command.flag("--markdown", options.markdown, "Print Markdown");
  add_json_option(command, context);
  command.exclusive({"--markdown", "--json"});
}

}  // namespace ridgeline::cli
