#pragma once

#include <string>
#include <vector>

#include "harness/record/run.hpp"

namespace ridgeline::analysis {

/// What differs between the profiles of two runs in how a case is measured, in words: "profile
/// nightly -> full", "sampling.target of profile nightly 0.01 -> 0.005". What changes no time is
/// left out: which cases they choose, how long these may take, how they describe themselves.
std::vector<std::string> profile_changes(const record::Run& before, const record::Run& after);

}  // namespace ridgeline::analysis
