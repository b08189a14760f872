#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/bisect.hpp"
#include "harness/gate/commit_answer.hpp"
#include "harness/gate/request.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::cli {

/// What people are told, in whole lines.
using SayLines = std::function<void(const std::string& lines)>;

/// The gates of a search: of the good commit and another one, stored or measured.
class BisectGates {
 public:
  /// Keeps references. Reads what is stored of this device in this environment.
  BisectGates(const Context& context, const BisectOptions& options, const gate::Commit& good,
              const record::Device& device, SayLines say);

  struct Gated {
    gate::StoredAnswer answer;
    std::string gate;     // its id
    std::string seed;     // its seed
    bool stored = false;  // and not measured now
  };
  /// What a stored gate of this commit answers, if one does.
  std::optional<Gated> stored(const gate::Commit& candidate,
                              const gate::CommitQuestion& question) const;
  /// Measures, or goes on with a gate of the same question that was interrupted. Attempt 0 takes
  /// the search's budget and seed, each other one twice the budget of the one before, and a seed of
  /// its own. Throws Interrupted and what a gate throws.
  Gated measure(const gate::Commit& candidate, const gate::CommitQuestion& question, int attempt,
                const std::string& seed);
  /// Whether the case executes the same code in two commits, which are built already.
  bool same_code(const gate::Commit& before, const gate::Commit& after) const;

 private:
  gate::GateOptions options_of(const gate::Commit& before, const gate::Commit& after) const;
  Gated ended(const present::GateReport& report, const gate::CommitQuestion& question) const;

  const Context& context_;
  const BisectOptions& options_;
  const gate::Commit& good_;
  const record::Device& device_;
  const SayLines say_;
  const gate::GatesOfCommits known_;
};

}  // namespace ridgeline::cli
