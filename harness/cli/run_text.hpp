#pragma once

#include <string>
#include <vector>

#include "harness/store/selector.hpp"

/// How people read what is stored of a run or a gate.
namespace ridgeline::cli {

/// "2026-11-20 12:45:01" of a stored time.
std::string point_in_time(const std::string& iso);

/// The stored status; "killed" for a run or gate that still says running while another one has measured on its device
/// since its last process started, because who measures holds the device's lock. `all` are the runs of the folder,
/// those of gates among them.
std::string status(const store::FoundRun& found, const std::vector<store::FoundRun>& all);
std::string status(const store::FoundGate& found, const std::vector<store::FoundRun>& all);

/// "118 ok, 2 crashed"; "none" when nothing was measured.
std::string outcome_counts(const store::RunSummary& summary);
/// "2 regressions, 40 pass"; "none" when nothing was decided.
std::string verdict_counts(const store::GateSummary& summary);

}  // namespace ridgeline::cli
