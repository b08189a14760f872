#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ridgeline::process {

/// A program of others (git, cmake) that is run to its end.
struct Tool {
  std::string name;  // looked for on the PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  bool takes_input = false;  // it reads this process's standard input, unless that is a terminal
  int polite_ms = 0;         // after SIGTERM, in which it may end by itself at an interrupt
};

struct ToolResult {
  bool fine = false;             // it exited with code 0
  std::optional<int> exit_code;  // absent when it was killed
  std::string ending;            // "exited with code 3"
  std::string output;            // what it printed, without a last newline; cut after 4 MiB
  std::string words;  // the last line of what it said on stderr, fit to be shown; empty when there
                      // is none
};

/// Runs the tool, without input unless it takes ours, shielded from what git leaves in the
/// environment of its hooks, and below a guard, so that nothing of it outlives this process. With a
/// log, all that it prints goes there as it comes, and not into the result's `output`; with
/// `printed`, too, what it prints on stdout goes to that instead. Throws a dependency Error when it
/// is not installed, and Interrupted, then with all that it printed passed on, and nothing left
/// running: soon after `polite_ms`, also where somebody has stopped the guard.
ToolResult run_tool(const Tool& tool, std::ostream* log = nullptr, std::ostream* printed = nullptr);

}  // namespace ridgeline::process
