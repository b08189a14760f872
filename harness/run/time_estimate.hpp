#pragma once

#include <filesystem>
#include <optional>

#include "harness/run/drive.hpp"

namespace ridgeline::run {

/// How long a plan is likely to take.
struct TimeEstimate {
  double seconds = 0;   // never more than the plan's budget
  int known_cases = 0;  // of the plan, that earlier runs have measured; the others count like these
                        // on average
};

/// By the wall time that the plan's cases took in stored runs of its profile on its device model,
/// the latest run with the case deciding. Absent when no such run has any of them. Files that
/// cannot be read count as empty.
std::optional<TimeEstimate> estimated_time(const std::filesystem::path& results, const Plan& plan);

}  // namespace ridgeline::run
