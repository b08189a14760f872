#include "harness/cli/command.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.hpp"

namespace ridgeline::cli {

CLI::App& add_command(CLI::App& program, Context& context, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> perform) {
  CLI::App& command = *program.add_subcommand(name, description);
  command.footer("\nExamples:\n" + examples);
  command.callback([&context, perform = std::move(perform)] { context.perform = perform; });
  return command;
}

void add_results_option(CLI::App& command, Context& context) {
  // Not by envname: CLI11 also hands the variable to the option of every command that was not called, which shares
  // context.results with the one that was, and so it would overrule --results.
  if (const char* folder = std::getenv("RIDGELINE_RESULTS"); folder != nullptr && *folder != '\0')
    context.results = folder;
  command
      .add_option("--results", context.results, "Folder of results files; without it $RIDGELINE_RESULTS, else results")
      ->type_name("DIR");
}

void add_device_option(CLI::App& command, Context& context) {
  command.add_option("--device", context.device, "cpu, cuda:0, ...; without it the first GPU, else the CPU")
      ->type_name("ID");
}

void add_profile_option(CLI::App& command, Context& context) {
  command.add_option("--profile", context.profile, "smoke, quick, nightly, full, or a .toml file")->type_name("NAME");
}

void add_worker_option(CLI::App& command, Context& context) {
  command.add_option("--worker", context.workers, "Another worker program; one of the same name is replaced")
      ->type_name("PROGRAM")
      ->take_all()
      ->allow_extra_args(false);  // one value each time: what follows is a PATTERN
}

void add_json_option(CLI::App& command, Context& context) {
  command.add_flag("--json", context.json, "Print one JSON object for programs");
}

void add_quiet_option(CLI::App& command, Context& context) {
  command.add_flag("--quiet", context.quiet, "Print results and errors only");
}

void say(std::FILE* out, const std::string& text) {
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

void say_left_out(const Error& why) {
  say(stderr, fmt::format("ridgeline: left out: {}\n", printable(why.what(), 4000)));
}

std::string shell_line(const std::vector<std::string>& arguments) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (char c : argument) c == '\'' ? line += "'\\''" : line += c;
    line += '\'';
  }
  return line;
}

}  // namespace ridgeline::cli
