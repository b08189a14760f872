#pragma once

#include <string>

#include "harness/cli/command.hpp"
#include "harness/present/bisect_report.hpp"

namespace ridgeline::cli {

/// What is typed for a search.
struct BisectOptions {
  std::string case_name, good, bad;
  double delta = 0;  // relative; 0: the gate's default for the device
  double error = 0.05;
  double budget_s = 600;  // of a gate, for each attempt twice that of the one before
  int attempts = 3, most_gates = 0;
  std::string seed;
  bool into_merges = false, no_wait = false;
};

/// Builds commits and gates them until the one that made the case slower is found. Throws usage
/// Errors, and those of a gate; Interrupted, when what was measured is stored.
present::BisectReport bisect_commits(const Context& context, const BisectOptions& options);

}  // namespace ridgeline::cli
