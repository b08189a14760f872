#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ridgeline::imported {

/// The 32-bit floats (little-endian) of a file that another file names, in the folder beside it:
/// "run.json-bin/0.bin" below `folder`, whatever stands before these two names. Absent when
/// `folder` is empty, when there is no such regular file there, links not followed, or when it is
/// no list of at most a million floats.
std::optional<std::vector<float>> float_file(const std::filesystem::path& folder,
                                             std::string_view name);

}  // namespace ridgeline::imported
