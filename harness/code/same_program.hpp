#pragma once

#include <filesystem>

namespace ridgeline::code {

/// Whether two files hold the same bytes and find the same beside themselves: they lie in one
/// folder, or are programs that ask for no libraries there. A script in another folder may start or
/// import something else, so nothing is known of that; nor of a file that cannot be read.
bool same_program(const std::filesystem::path& baseline, const std::filesystem::path& candidate);

}  // namespace ridgeline::code
