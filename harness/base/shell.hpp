#pragma once

#include <string>
#include <vector>

namespace ridgeline {

/// `arguments` as a line that a shell reads back.
std::string shell_line(const std::vector<std::string>& arguments);

/// The arguments that shell_line made `line` of.
std::vector<std::string> shell_words(const std::string& line);

}  // namespace ridgeline
