#pragma once

#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::analysis {

/// Which of a counted case's processes stands for it.
struct CountedCase {
  const store::StoredMeasurement* shown = nullptr;  // of the last process; null when none counted
  bool processes_differ = false;                    // another process has other sites: its inputs were others
};

/// `processes` as of by_case, with their sites.
CountedCase counted_case(const CaseProcesses& processes);

/// Fills in sites and sources of the counted measurements among `measurements`, which are of `store`.
void read_sites(const store::Store& store, std::vector<store::StoredMeasurement>& measurements);

}  // namespace ridgeline::analysis
