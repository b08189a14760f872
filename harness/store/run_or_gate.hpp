#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "harness/store/selector.hpp"

namespace ridgeline::store {

using RunOrGate = std::variant<FoundRun, FoundGate>;

/// The run or gate that `selector` means, as find_run and find_gate read it. What means the latest of a
/// folder or model means whichever of run and gate is newer; labels and commits are those of runs. Throws like these
/// two; a prefix of the ids of both is a usage Error.
RunOrGate find_run_or_gate(const std::filesystem::path& folder, const std::string& selector, const LeftOut& left_out);

}  // namespace ridgeline::store
