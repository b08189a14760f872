#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "harness/store/selector.hpp"

namespace ridgeline::cli {

using RunOrGate = std::variant<store::FoundRun, store::FoundGate>;

/// The run or gate that `selector` means, as store::find_run and store::find_gate read it. What means the latest of a
/// folder or model means whichever of run and gate is newer; labels and commits are those of runs. Throws like these
/// two; a prefix of the ids of both is a usage Error.
RunOrGate find_run_or_gate(const std::filesystem::path& folder, const std::string& selector,
                           const store::LeftOut& left_out);

}  // namespace ridgeline::cli
