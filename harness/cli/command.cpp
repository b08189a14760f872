#include "harness/cli/command.hpp"

#include <utility>

#include <fmt/core.h>

#include "harness/process/descendants.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/device_lock.hpp"

namespace ridgeline::cli {

namespace {

int until_interrupted(const std::function<int()>& perform, const std::string& undone) {
  const process::Interrupt interrupt;
  const process::Household household;
  try {
    return perform();
  } catch (const process::Interrupted&) {
    present::say(stderr, fmt::format("ridgeline: interrupted; {}\n", undone));
    return present::interrupted;
  }
}

}  // namespace

Command add_command(Command program, Context& context, const std::string& name,
                    const std::string& description, const std::string& examples,
                    std::function<int()> perform, const std::string& undone) {
  if (!undone.empty())
    perform = [perform = std::move(perform), undone] { return until_interrupted(perform, undone); };
  return program.command(name, description, "\nExamples:" + examples,
                         [&context, perform = std::move(perform)] { context.perform = perform; });
}

std::function<void(const std::string& holder)> while_in_use(const std::string& device,
                                                            bool no_wait) {
  return [&device, no_wait](const std::string& holder) {
    if (no_wait) throw run::in_use(device, holder);
    present::say(stderr,
                 fmt::format("waiting for device {}, which is in use by {}\n", device, holder));
  };
}

void add_results_option(Command command, Context& context) {
  command.option("--results", context.results,
                 "Folder of results files; without it $RIDGELINE_RESULTS, else results",
                 {.value_name = "DIR"});
}

void add_device_option(Command command, Context& context) {
  command.option("--device", context.device,
                 "cpu, cuda:0, ...; without it the first GPU, else the CPU", {.value_name = "ID"});
}

void add_profile_option(Command command, Context& context) {
  command.option("--profile", context.profile, "smoke, quick, nightly, full, or a .toml file",
                 {.value_name = "NAME"});
}

void add_worker_option(Command command, Context& context) {
  command.option("--worker", context.workers,
                 "Another worker program; one of the same name is replaced",
                 {.value_name = "PROGRAM", .one_value = true});  // what follows is a PATTERN
}

void add_json_option(Command command, Context& context) {
  command.flag("--json", context.json, "Print one JSON object for programs");
}

void add_quiet_option(Command command, Context& context) {
  command.flag("--quiet", context.quiet, "Print results and errors only");
}

}  // namespace ridgeline::cli
