#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace ridgeline::cli {

/// Columns of the terminal behind `out`; 80 where there is none that says.
std::size_t terminal_width(std::FILE* out);

/// "[######..............] 3/10".
std::string progress_bar(int done, int total);

}  // namespace ridgeline::cli
