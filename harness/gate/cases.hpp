#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/paired_case.hpp"
#include "harness/gate/rules.hpp"
#include "harness/record/gate.hpp"

namespace ridgeline::gate {

/// What a gate's cases are chosen with.
struct CaseChoice {
  record::Device device;
  run::Profile profile;  // whose cases are compared, narrowed by the patterns as for a run
  std::vector<std::string> patterns;  // the user's
  std::filesystem::path home;
  GateRules rules;
  analysis::CaseRule otherwise;  // where no rule says more
  std::string today;
  /// Whether a case, as the baseline and as the candidate has it, executes the same code on both
  /// sides and need not be measured. Null: all are.
  std::function<bool(const run::Selected&, const run::Selected&)> same_code = nullptr;
  bool measures_same_code = false;  // all the same
};

/// What is compared, and what is known without measuring: missing, new, of the same code, and
/// skipped.
struct GateCases {
  std::vector<GateCase> compared;
  std::vector<record::CaseVerdict> settled;
  std::vector<run::ForOtherDevice> elsewhere;  // what is not compared for that reason alone
};

/// Workers that together have all cases of both sides, each once.
std::vector<run::Worker> either_of(const Sides<std::vector<run::Worker>>& workers);

/// Pairs the cases of two sides by name. The workers must outlive what is returned. Throws usage
/// Errors like select().
GateCases pair_by_name(const Sides<std::vector<run::Worker>>& workers, const CaseChoice& choice);

/// Pairs the cases of two variants of one side that differ in their variant alone, in the suites
/// that have both. Throws a usage Error for a variant that no case has, with the nearest name, and
/// when no problem has both.
GateCases pair_by_variant(const std::vector<run::Worker>& workers,
                          const Sides<std::string>& variants, const CaseChoice& choice);

}  // namespace ridgeline::gate
