#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/store/selector.hpp"

/// How people read what is stored of a run or a gate.
namespace ridgeline::present {

/// "2026-11-20 12:45:01" of a stored time.
std::string point_in_time(const std::string& iso);

/// The stored status. For a run or gate that still says running: "killed" when another one has
/// measured on its device since its last process started, because who measures holds the device's
/// lock; "running" or "killed" when the lock of this machine tells; else "running or killed", as of
/// another machine's. `all` are the runs of the folder, those of gates among them; without them
/// they are read. Of a run that was imported: "imported, unverified".
std::string status(const store::FoundRun& found, const std::vector<store::FoundRun>& all);
std::string status(const store::FoundGate& found, const std::vector<store::FoundRun>& all);
std::string status(const store::FoundRun& found);
std::string status(const store::FoundGate& found);

/// "118 ok, 2 crashed"; empty without any.
std::string outcome_counts(const std::map<record::Outcome, std::int64_t>& counts);
/// The same of all measurements; "none" when nothing was measured.
std::string outcome_counts(const store::RunSummary& summary);
/// "2 regressions, 40 pass" of a gate; "none" when nothing was decided. For one that has not ended,
/// also its pairs.
std::string verdicts_text(const store::FoundGate& found);

/// Pairs that a gate has stored, those that were dropped among them.
std::int64_t stored_pairs(const store::FoundGate& found);

}  // namespace ridgeline::present
