#include "harness/cli/main.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/version.hpp"
#include "harness/present/repeat.hpp"

namespace ridgeline::cli {
namespace {

constexpr void (*commands[])(Command, Context&) = {
    add_devices,     add_doctor,   add_list,    add_run,     add_gate,       add_bisect,
    add_runs,        add_show,     add_history, add_explain, add_trend,      add_check,
    add_predict,     add_ladder,   add_report,  add_import,  add_export,     add_compare,
    add_collectives, add_baseline, add_merge,   add_prune,   add_completion,
};

constexpr const char* examples = R"(
Examples:
  ridgeline devices                        what there is to measure on
  ridgeline list 'gemm/*/f32'              cases by name; * crosses /
  ridgeline run --profile quick            measure on the first GPU, else the CPU
  ridgeline run --device cpu gemm/naive    only these cases
  ridgeline gate --baseline-ref main --candidate-ref HEAD
                                           has the change made anything slower?

Every command has its own --help. Exit codes: 0 fine, 1 regression, 2 a case failed, 3 nothing could
be decided, 64 usage, 69 something needed is missing, 70 internal, 74 a file or database, 130
interrupted.)";

int report(ErrorKind kind, const std::string& failure, const std::string& advice) {
  std::fflush(stdout);
  present::say_failure(failure, advice);
  return static_cast<int>(kind);
}

/// Whether whoever read the standard output has gone away, like the head of `ridgeline list | head
/// -1`.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

/// The innermost command that the parsed line names.
std::optional<Command> innermost(const Command& program) {
  std::optional<Command> chosen = program.chosen();
  while (chosen)
    if (const std::optional<Command> below = chosen->chosen())
      chosen = below;
    else
      break;
  return chosen;
}

/// "ridgeline trend acknowledge": the commands that the parsed line names.
std::string line_of_commands(const Command& program) {
  std::string line = "ridgeline";
  for (std::optional<Command> one = program.chosen(); one; one = one->chosen())
    line += " " + one->name();
  return line;
}

/// What the reader may have meant by a word that no option or command is called.
std::string suggestion(const Command& program, const std::vector<std::string>& arguments) {
  const std::optional<Command> chosen = innermost(program);
  std::vector<std::string> known;
  for (const OptionFacts& option : (chosen ? *chosen : program).options())
    std::ranges::copy_if(option.names, std::back_inserter(known),
                         [](const auto& name) { return name.starts_with("--"); });
  if (!chosen)
    for (const Command& command : program.commands()) known.push_back(command.name());
  for (std::string word : arguments) {
    word = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    if (chosen && !word.starts_with("-")) continue;
    const std::string near = nearest(word, known);
    if (!near.empty()) return fmt::format("did you mean {}? ", near);
  }
  return {};
}

/// A standard stream that was closed is one that refuses, not the first file or pipe that is opened
/// here.
void keep_places_of_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int perform(Context& context, const BuildStamp& built) {
  Program program("ridgeline",
                  "Ridgeline measures GPU and CPU kernels, keeps every sample, and compares them.",
                  examples, [&] { return version_text(built); });
  // Not by CLI11's envname: it also hands the variable to the option of every command that was not
  // called, which shares context.results with the one that was, and so it would overrule --results.
  context.results = present::default_results().string();
  for (const auto add : commands) add(program.root(), context);
  try {
    // What stands behind "--" belongs to the program that is checked.
    const bool checks = !context.arguments.empty() && context.arguments.front() == "check";
    const auto own = checks ? std::ranges::find(context.arguments, "--") : context.arguments.end();
    if (const std::optional<int> answered = program.parse({context.arguments.begin(), own}))
      return *answered;
  } catch (const Error& error) {
    throw Error(error.kind(), error.what(),
                fmt::format("{}{} --help shows what there is",
                            suggestion(program.root(), context.arguments),
                            line_of_commands(program.root())));
  }
  return context.perform();
}

}  // namespace

int main(int argc, char** argv, const BuildStamp& built) {
  // A reader that goes away and a file that may not grow are errors of that write, not the end of
  // the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  keep_places_of_streams();
  Context context;
  int code = present::fine;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!is_utf8(argv[i]))
        throw Error(ErrorKind::usage,
                    fmt::format("argument {} is not UTF-8: {}", i, printable(argv[i])));
      context.arguments.emplace_back(argv[i]);
    }
    code = perform(context, built);
  } catch (const Error& error) {
    code = report(error.kind(), error.what(), error.advice());
  } catch (const std::system_error& error) {
    // Output that was lost is reported below, once for all ways to write it.
    if (!std::ferror(stdout)) code = report(ErrorKind::store, error.what(), {});
  } catch (const std::exception& error) {
    code = report(ErrorKind::internal, fmt::format("unexpected failure: {}", error.what()),
                  "please report it with this command line");
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (!reader_is_gone()) report(ErrorKind::store, "cannot write to the standard output", {});
    if (code != present::interrupted) code = static_cast<int>(ErrorKind::store);
  }
  return code;
}

}  // namespace ridgeline::cli
