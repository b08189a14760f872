#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/analysis/ladder.hpp"

namespace ridgeline::run {

/// Reads ladders, and the notes on them: a [[note]] belongs to each ladder that has a rung of its
/// patterns. Strict: an unknown key, a wrong type, a rung that a ladder has twice, or a note on no
/// ladder throws a usage Error with file and line.
std::vector<analysis::Ladder> parse_ladders(std::string_view text,
                                            const std::filesystem::path& file);

/// Those of suites/ladders.toml in `home`.
std::vector<analysis::Ladder> load_ladders(const std::filesystem::path& home);

}  // namespace ridgeline::run
