#include "harness/gate/git.hpp"

#include <utility>

namespace ridgeline::gate {

process::ToolResult git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                        std::ostream* log) {
  // Hooks and a monitor of the user's would run at moments that they were not made for.
  arguments.insert(arguments.begin(), {"--no-optional-locks", "-c", "core.hooksPath=/dev/null",
                                       "-c", "core.fsmonitor=false", "-C", folder.string()});
  return process::run_tool({"git", std::move(arguments), {{"GIT_TERMINAL_PROMPT", "0"}}}, log);
}

}  // namespace ridgeline::gate
