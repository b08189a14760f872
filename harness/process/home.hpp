#pragma once

#include <filesystem>
#include <string>

namespace ridgeline::process {

/// The folder that holds suites/profiles: $RIDGELINE_HOME, or the nearest one above the running
/// program, or share/ridgeline in one above it, where a wheel puts it. Throws a dependency Error
/// when there is none.
std::filesystem::path home();

/// A program of Ridgeline: beside the running one, else on the PATH; empty when it is in neither
/// place.
std::filesystem::path find_program(const std::string& name);

}  // namespace ridgeline::process
