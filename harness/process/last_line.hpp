#pragma once

#include <string_view>

namespace ridgeline::process {

/// The last line of what a program printed that has a letter or a digit, without the space around
/// it; empty when there is none. What stands between two lines of dashes, as launchers frame what
/// they say of their programs, counts only where nothing else was said.
std::string_view last_line(std::string_view text);

}  // namespace ridgeline::process
