#pragma once

#include <string>
#include <vector>

#include "harness/store/selector.hpp"

/// How people read what is stored of a run.
namespace ridgeline::cli {

/// "2026-11-20 12:45:01" of a stored time.
std::string point_in_time(const std::string& iso);

/// The stored status; "killed" for a run that still says running while a later one has measured on its device, which
/// holds the device's lock. `all` are the runs of the folder.
std::string status(const store::FoundRun& found, const std::vector<store::FoundRun>& all);

/// "118 ok, 2 crashed"; "none" when nothing was measured.
std::string outcome_counts(const store::RunSummary& summary);

}  // namespace ridgeline::cli
