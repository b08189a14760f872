#include "harness/process/tool.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/child.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/launcher.hpp"

namespace ridgeline::process {
namespace {

constexpr std::size_t max_output_bytes = 4u << 20, max_tool_error_bytes = 64u << 10;

// A hook of git (pre-push) has these set; they would point every git below at the repository, and its index, that the
// hook is of, whatever folder it is told.
constexpr const char* git_variables[] = {"GIT_DIR",    "GIT_WORK_TREE",        "GIT_INDEX_FILE",
                                         "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"};

std::filesystem::path find_installed(const std::string& name) {
  const std::filesystem::path program = find_on_path(name);
  if (program.empty())
    throw Error(ErrorKind::dependency, fmt::format("{} not found on the PATH", name), fmt::format("install {}", name));
  return program;
}

Command command_of(const Tool& tool, bool output_to_errors) {
  Command command{find_installed("env"), {}, tool.environment, output_to_errors};
  for (const char* variable : git_variables) command.arguments.insert(command.arguments.end(), {"-u", variable});
  command.arguments.push_back(find_installed(tool.name).string());
  command.arguments.insert(command.arguments.end(), tool.arguments.begin(), tool.arguments.end());
  return command;
}

/// Hands over what the pipe holds now; false once it has ended.
template <class Take>
bool drain(int descriptor, Take&& take) {
  char buffer[16384];
  ssize_t got = 0;
  while ((got = read(descriptor, buffer, sizeof buffer)) > 0)
    take(std::string_view(buffer, static_cast<std::size_t>(got)));
  return got != 0;
}

std::string last_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n\t");
  if (last == std::string_view::npos) return {};
  text = text.substr(0, last + 1);
  return printable(text.substr(text.find_last_of('\n') + 1), 500);
}

}  // namespace

ToolResult run_tool(const Tool& tool, std::ostream* log) {
  Interrupt::check();
  ToolResult result;
  std::string errors;
  const auto take_output = [&](std::string_view text) {
    result.output.append(text.substr(0, max_output_bytes - result.output.size()));
  };
  const auto take_errors = [&](std::string_view text) {
    if (log) (*log << text).flush();
    errors += text;
    if (errors.size() > max_tool_error_bytes) errors.erase(0, errors.size() - max_tool_error_bytes);
  };
  Child child(command_of(tool, log != nullptr));
  child.close_input();
  pollfd waits[4] = {{child.output(), POLLIN, 0},
                     {child.errors(), POLLIN, 0},
                     {child.end(), POLLIN, 0},
                     {Interrupt::descriptor(), POLLIN, 0}};
  while (waits[2].revents == 0) {
    if (poll(waits, 4, -1) < 0 && errno != EINTR)
      throw Error(ErrorKind::internal, fmt::format("cannot wait for {}: {}", tool.name, std::strerror(errno)));
    Interrupt::check();
    if (waits[0].revents != 0 && !drain(child.output(), take_output)) waits[0].fd = -1;
    if (waits[1].revents != 0 && !drain(child.errors(), take_errors)) waits[1].fd = -1;
  }
  child.kill();  // what it left running holds the pipes
  drain(child.output(), take_output);
  drain(child.errors(), take_errors);
  result.exit_code = child.exit_code();
  result.ending = child.ending();
  result.fine = child.succeeded();
  result.words = last_line(errors);
  if (result.output.ends_with('\n')) result.output.pop_back();
  return result;
}

}  // namespace ridgeline::process
