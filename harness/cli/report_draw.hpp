#pragma once

#include <filesystem>

namespace ridgeline::cli {

/// Runs the Python package `reports` on `document`; its messages go to our stderr, its headlines to our stdout when
/// they are `shown`. Throws an Error when it does not end well: of kind dependency when there is no Python or a module
/// is missing.
void draw_report(const std::filesystem::path& document, const std::filesystem::path& output, bool shown);

}  // namespace ridgeline::cli
