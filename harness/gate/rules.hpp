#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/gate_plan.hpp"

namespace ridgeline::gate {

/// gate.toml: what a project asks of its cases. docs/how-to-gate.md describes the format.
struct GateRules {
  /// What one [[rule]] sets for the cases of its pattern; what it leaves out is as without it.
  struct Rule {
    std::string pattern;
    int line = 0;
    std::optional<double> delta, floor_ns, alpha;
    std::optional<double> counts;                 // relative growth that every count may have
    std::map<std::string, double> metric_counts;  // that a single metric may have: a key of its own
    std::optional<analysis::Looking> looking;
    std::optional<analysis::Tails> tails;
    std::optional<std::string> skip;
    struct Expectation {
      std::string reason, until;      // until: "2026-12-31", the last day on which it holds
      std::optional<double> at_most;  // relative; a larger slow-down is not the expected one
      bool operator==(const Expectation&) const = default;
    };
    std::optional<Expectation> expect;  // of a regression
  };
  std::filesystem::path file;  // empty without one
  std::string text;            // the whole file
  std::vector<Rule> rules;
};

/// Strict: an unknown key, a wrong type or a value out of range throws a usage Error with file and
/// line.
GateRules parse_gate_rules(std::string_view text, const std::filesystem::path& file);
GateRules load_gate_rules(const std::filesystem::path& file);

/// The rule of each of `names`: `otherwise`, changed by the rules that match it. For each key the
/// pattern with the most literal characters wins; a tie between different values, and a rule that
/// matches neither one of `names` nor of `known`, throw a usage Error with file and line. `known`
/// are cases that exist and are not gated this time (the user's patterns leave them out, or they
/// are for another kind of device): rules for them are no mistakes. `today` is a date like
/// "2026-11-20".
std::vector<analysis::CaseRule> resolve(const GateRules& rules,
                                        const std::vector<std::string>& names,
                                        const analysis::CaseRule& otherwise,
                                        const std::string& today,
                                        const std::vector<std::string>& known = {});

/// The metrics that rules name and that are none of `counted`, a line each with file and line: a
/// misspelt name allows nothing, and must not go unnoticed. No errors, because the cases that have
/// them may not be gated this time.
std::vector<std::string> unknown_metrics(const GateRules& rules,
                                         const std::set<std::string>& counted);

/// The alpha of a case: `otherwise` where no rule sets one. Two equally specific rules throw, as in
/// resolve.
double alpha_of(const GateRules& rules, const std::string& name, double otherwise);

}  // namespace ridgeline::gate
