#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/cases.hpp"
#include "harness/run/profile.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::gate {

/// What is typed for a gate.
struct GateOptions {
  std::vector<std::string> patterns;
  std::vector<std::string> baseline_workers, candidate_workers;  // programs
  std::string baseline_ref, candidate_ref;                       // git
  std::string baseline_variant, candidate_variant;               // of one build
  std::string baseline, candidate;                               // run selectors
  std::vector<std::string> workers;                              // of variants
  std::string device, profile, budget, config, seed, resume, label;
  std::optional<double> delta, alpha;        // relative; of the whole suite
  std::optional<double> beta;                // of a case: the risk of a wrong pass
  std::map<std::string, std::string> files;  // to write, by the option that names them; "-" is
                                             // standard output
  bool strict = false, aa = false, all = false, no_wait = false, github = false,
       accept_changes = false, spread = false, counts_first = false, believe_code = false;
};

/// Whether a share is above 0, below 1 and at most `most`: what is typed, and what is stored.
bool is_share(double share, double most);

struct Programs;

/// What the command line, or an interrupted gate, asks for.
struct Wanted {
  record::GateMode mode = record::GateMode::workers;
  GateOptions options;
  std::string rules_text;
  double budget_s = 600;
  std::optional<store::FoundGate> resumed;
  std::vector<std::string> compared;  // names of the cases of the gate that is resumed, sorted
  std::optional<run::Profile> used_profile;  // of the gate that is resumed: its file may have
                                             // changed, or be gone
};

/// What is typed. Throws usage Errors for all that the text alone tells.
Wanted from_command_line(const GateOptions& options);

/// The words that name again what an interrupted gate starts beside Ridgeline's own programs:
/// workers, and commits that are built. None where there is nothing of that kind.
std::vector<std::string> programs_in_words(const record::Gate& gate);

/// What the gate that `options.resume` names, of the folder `results`, was asked for; formats and
/// the like are as typed now, and so are the programs: the gate may be a stranger's, and what its
/// record names is not started unasked. Throws usage and store Errors.
Wanted from_gate(const std::filesystem::path& results, const GateOptions& options,
                 const store::LeftOut& left_out);

/// All that an interrupted gate needs to be gone on with, beside what the store has of it. JSON:
/// record::Gate::options.
std::string to_text(const Wanted& wanted, const std::string& device, const Programs& programs,
                    const GateCases& cases);

/// Of a gate on several devices, what its part on one of them is asked for: `cases` of `all` cases
/// have their share of the budget.
Wanted on_device(const Wanted& wanted, const std::string& device, std::size_t cases,
                 std::size_t all);

/// Lines on the metrics that the gate's rules, of `file`, name and that neither of its runs
/// counted.
std::vector<std::string> metric_notes(const record::Gate& gate, const std::filesystem::path& file,
                                      const store::Store& store);

/// Refuses to go on with a gate of other commits.
void check_commits(const Wanted& wanted, const Sides<std::string>& commits);

/// Refuses to go on with a gate whose sides, cases, device or circumstances are not what they were.
void check_unchanged(const Wanted& wanted, const GateSetup& setup, const store::Store& store,
                     const record::Environment& environment, const std::string& options_text);

}  // namespace ridgeline::gate
