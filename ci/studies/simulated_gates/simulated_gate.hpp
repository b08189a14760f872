#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/studies/simulated_gates/noise.hpp"
#include "harness/analysis/gate_decision.hpp"

/// A gate whose pairs are drawn in place of being measured. What decides is what decides in gates.
namespace ridgeline::analysis::study {

constexpr int cases_of_a_suite = 100;

struct Setting {
  GatePlan plan;
  CaseRule rule;  // the rule that is the default of the noise's device
  std::size_t samples = 20;
  Location location = Location::median;

  /// Of what decides: two settings of the same text decide alike.
  std::string text() const;
};

/// The default plan and rule, or with another number of screening rounds.
Setting setting_of(const Noise& noise, std::optional<int> screening_rounds = std::nullopt);

/// One case of a gate: its rounds up to the end of the screening, then to the end.
class SimulatedCase {
 public:
  SimulatedCase(const Setting& setting, const Noise& noise, const Plant& plant, Random& random);

  /// Whether it is a suspect.
  bool screen();
  /// `suspects`: of the whole gate.
  void finish(int suspects);

  const Decision& decision() const { return decision_; }
  int rounds() const { return static_cast<int>(pairs_.size()); }

 private:
  void decide(bool last);

  const Setting& setting_;
  Rounds source_;
  std::vector<PairedTimes> pairs_;
  Screening screening_;
  Decision decision_;
};

/// What a gate of cases without a change, but for the plant, ended with.
struct SuiteEnd {
  int suspects = 0, tails = 0, regressions = 0, passes = 0;  // cases
  double rounds = 0;                                         // mean of a case
};

SuiteEnd run_suite(const Setting& setting, const Noise& noise, const Plant& plant, Random& random);

/// Of the suspects among the cases of a suite those that are left when another case takes the place
/// of one of all cases. Without the draw, one suspect among a hundred would never be one among the
/// other 99, and the planted case would have the tails' alpha for itself.
int without_one(int suspects, Random& random);

/// What a case ended with.
struct CaseEnd {
  Decision decision;
  int rounds = 0;
};

/// A case among others that have `other_suspects`.
CaseEnd run_case(const Setting& setting, const Noise& noise, const Plant& plant, int other_suspects,
                 Random& random);

}  // namespace ridgeline::analysis::study
