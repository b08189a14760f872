#pragma once

#include <filesystem>
#include <string>

#include "harness/record/run.hpp"

namespace ridgeline::run {

/// What tells the code of a worker apart from that of another: its code hash; of one that cannot tell it, a hash of the
/// program's file, which knows nothing of what the program loads. Throws a dependency Error when that cannot be read.
std::string program_code(const record::Build& build, const std::filesystem::path& program);

}  // namespace ridgeline::run
