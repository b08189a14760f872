#pragma once

#include <string>

#include "harness/base/build_stamp.hpp"

namespace ridgeline::cli {

/// "1.0.0".
std::string version();

/// What --version prints: the version in the first line, then what the program was built from and
/// what it finds on this machine.
std::string version_text(const BuildStamp& built);

}  // namespace ridgeline::cli
