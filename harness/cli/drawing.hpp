#pragma once

#include <filesystem>
#include <string>

namespace ridgeline::cli {

/// The Python that draws: $RIDGELINE_PYTHON, else the .venv of Ridgeline's folder, else the python3
/// on the PATH.
std::string python(const std::filesystem::path& home);

}  // namespace ridgeline::cli
