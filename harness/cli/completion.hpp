#pragma once

#include <string>

#include "harness/cli/command_line.hpp"

namespace ridgeline::cli {

/// Scripts that complete commands, options and their values in a shell, made of what `program` declares.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

}  // namespace ridgeline::cli
