#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::cli {

/// Options of `gate`.
struct GateOptions {
  std::vector<std::string> patterns;
  std::vector<std::string> baseline_workers, candidate_workers;  // programs
  std::string baseline_ref, candidate_ref;                       // git
  std::string baseline_variant, candidate_variant;               // of one build
  std::string baseline, candidate;                               // run selectors
  std::string budget, config, seed, resume, label;
  std::optional<double> delta, alpha;  // relative; of the whole suite
  std::string markdown, junit;         // files to write; "-" is standard output
  bool strict = false, aa = false, no_wait = false, github = false, accept_changes = false;
};

/// Gates two stored runs: nothing is measured.
present::GateReport gate_runs(const Context& context, const GateOptions& options);

/// Measures: two workers, two commits, or two variants of one build; or goes on with an interrupted gate.
present::GateReport gate_measured(const Context& context, const GateOptions& options);

}  // namespace ridgeline::cli
