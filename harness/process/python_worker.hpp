#pragma once

#include <filesystem>
#include <string>

#include "harness/process/child.hpp"

namespace ridgeline::process {

/// The Python that Ridgeline uses: $RIDGELINE_PYTHON, else the .venv of Ridgeline's folder `home`,
/// else the one beside this program, else the python3 on the PATH.
std::string python(const std::filesystem::path& home);

/// What to do where `interpreter` lacks what draws reports, or, when that is empty, where there is
/// no Python: ci/setup in a clone, which an installed tree does not have.
std::string how_to_draw(const std::filesystem::path& home, const std::string& interpreter);

/// Whether a program is a Python file of cases, for the package `ridgeline` to serve. A `.py` file
/// that can be executed and does not import the package speaks the protocol itself.
bool is_case_file(const std::filesystem::path& program);

/// How a worker is started: as it is, or `python -m ridgeline FILE`, with the package of this
/// clone or installed tree where that has it. Throws a dependency Error when there is no Python.
Command worker_command(const std::filesystem::path& program);

}  // namespace ridgeline::process
