#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/analysis/claim.hpp"

namespace ridgeline::run {

/// Reads claims. Strict: an unknown key, one that the quantity of a check does not have, a wrong
/// type, a border that nothing can meet, or two claims of one title throw a usage Error with file
/// and line.
std::vector<analysis::Claim> parse_claims(std::string_view text, const std::filesystem::path& file);

/// Those of suites/claims.toml in `home`.
std::vector<analysis::Claim> load_claims(const std::filesystem::path& home);

}  // namespace ridgeline::run
