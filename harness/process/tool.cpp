#include "harness/process/tool.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/child.hpp"
#include "harness/process/clock.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/launcher.hpp"

namespace ridgeline::process {
namespace {

constexpr std::size_t max_output_bytes = 4u << 20;

// A hook of git (pre-push) has these set; they would point every git below at the repository, and
// its index, that the hook is of, whatever folder it is told.
constexpr const char* git_variables[] = {"GIT_DIR",    "GIT_WORK_TREE",        "GIT_INDEX_FILE",
                                         "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"};

std::filesystem::path find_installed(const std::string& name) {
  const std::filesystem::path program = find_on_path(name);
  if (program.empty())
    throw Error(ErrorKind::dependency, fmt::format("{} not found on the PATH", name),
                fmt::format("install {}", name));
  return program;
}

Command command_of(const Tool& tool, bool output_to_errors) {
  Command command{find_installed("env"), {}, tool.environment, output_to_errors, tool.polite_ms};
  // A program that reads the terminal would be stopped there: it leads a process group of its own.
  command.takes_input =
      tool.takes_input && isatty(STDIN_FILENO) == 0 && fcntl(STDIN_FILENO, F_GETFD) >= 0;
  for (const char* variable : git_variables)
    command.arguments.insert(command.arguments.end(), {"-u", variable});
  command.arguments.push_back(find_installed(tool.name).string());
  command.arguments.insert(command.arguments.end(), tool.arguments.begin(), tool.arguments.end());
  return command;
}

/// Takes up to 1 MiB, which is all that a pipe can hold; false once it has ended.
bool drain(int descriptor, std::string& output, std::ostream* printed) {
  char buffer[16384];
  ssize_t got = 1;
  for (int i = 0; i < 64; ++i) {
    got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) break;
    if (printed) printed->write(buffer, got).flush();
    output.append(buffer,
                  std::min(static_cast<std::size_t>(got), max_output_bytes - output.size()));
  }
  return got != 0;
}

/// Waits without an end where there is no deadline.
int wait_until(const std::optional<Deadline>& deadline, pollfd* waits, nfds_t count) {
  if (!deadline) return poll(waits, count, -1);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return wait(waits, count, static_cast<int>(std::max<std::int64_t>(left, 0)));
}

}  // namespace

ToolResult run_tool(const Tool& tool, std::ostream* log, std::ostream* printed) {
  Interrupt::check();
  ToolResult result;
  Child child(command_of(tool, log != nullptr && printed == nullptr));
  child.close_input();
  pollfd waits[4] = {{child.output(), POLLIN, 0},
                     {child.errors(), POLLIN, 0},
                     {child.end(), POLLIN, 0},
                     {Interrupt::descriptor(), POLLIN, 0}};
  // After an interrupt, a guard that is stopped tells no end.
  std::optional<Deadline> deadline;
  while (waits[2].revents == 0 && (!deadline || Clock::now() < *deadline)) {
    if (wait_until(deadline, waits, 4) < 0 && errno != EINTR)
      throw Error(ErrorKind::internal,
                  fmt::format("cannot wait for {}: {}", tool.name, std::strerror(errno)));
    if (waits[3].fd >= 0 && Interrupt::requested()) {
      child.begin_end();
      waits[3].fd = -1;
      deadline = after(1e-3 * tool.polite_ms + 1);
    }
    if (waits[0].revents != 0 && !drain(child.output(), result.output, printed)) waits[0].fd = -1;
    if (waits[1].revents != 0 && !child.drain_errors(log)) waits[1].fd = -1;
  }
  child.kill();  // what it left running holds the pipes
  drain(child.output(), result.output, printed);
  child.drain_errors(log);
  Interrupt::check();
  result.exit_code = child.exit_code();
  result.ending = child.ending();
  result.fine = child.succeeded();
  result.words = child.last_words();
  if (result.output.ends_with('\n')) result.output.pop_back();
  return result;
}

}  // namespace ridgeline::process
