#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "harness/process/tool.hpp"

namespace ridgeline::gate {

/// Runs git in a folder, without the user's hooks and without asking anything. With a log, all that
/// it prints goes there. Throws like process::run_tool.
process::ToolResult git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                        std::ostream* log = nullptr);

}  // namespace ridgeline::gate
