#include "harness/cli/command.hpp"

#include <cstdlib>
#include <utility>

namespace ridgeline::cli {

Command add_command(Command program, Context& context, const std::string& name, const std::string& description,
                    const std::string& examples, std::function<int()> perform) {
  return program.command(name, description, "\nExamples:\n" + examples,
                         [&context, perform = std::move(perform)] { context.perform = perform; });
}

Option add_results_option(Command command, Context& context) {
  // Not by CLI11's envname: it also hands the variable to the option of every command that was not
  // called, which shares context.results with the one that was, and so it would overrule --results.
  if (const char* folder = std::getenv("RIDGELINE_RESULTS"); folder != nullptr && *folder != '\0')
    context.results = folder;
  return command
      .option("--results", context.results, "Folder of results files; without it $RIDGELINE_RESULTS, else results")
      .value_name("DIR");
}

Option add_device_option(Command command, Context& context) {
  return command.option("--device", context.device, "cpu, cuda:0, ...; without it the first GPU, else the CPU")
      .value_name("ID");
}

Option add_profile_option(Command command, Context& context) {
  return command.option("--profile", context.profile, "smoke, quick, nightly, full, or a .toml file")
      .value_name("NAME");
}

Option add_worker_option(Command command, Context& context) {
  return command.option("--worker", context.workers, "Another worker program; one of the same name is replaced")
      .value_name("PROGRAM")
      .one_value();  // what follows is a PATTERN
}

Option add_json_option(Command command, Context& context) {
  return command.flag("--json", context.json, "Print one JSON object for programs");
}

Option add_quiet_option(Command command, Context& context) {
  return command.flag("--quiet", context.quiet, "Print results and errors only");
}

}  // namespace ridgeline::cli
