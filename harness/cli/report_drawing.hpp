#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridgeline::cli {

/// Runs the Python package `reports` on `document`; its messages go to our stderr. Throws an Error
/// when it does not end well: of kind dependency when there is no Python or a module is missing.
void draw_report(const std::filesystem::path& document, const std::filesystem::path& output,
                 const std::vector<std::string>& formats);

}  // namespace ridgeline::cli
