#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/device_kind.hpp"

namespace ridgeline::analysis {

/// Which changes of a case a gate looks for.
enum class Looking { both, slower };

/// The risk of a wrong pass that plan_for() is made for.
constexpr double usual_pass_risk = 0.05;

/// The largest alpha that may be asked for, over all cases: more would be noise with a verdict on
/// it.
constexpr double most_alpha = 0.2;

/// What becomes of a case whose median is not slower, but whose tail is.
enum class Tails { fail, tell };

/// What the rules say of one case.
struct CaseRule {
  double delta = 0.03;  // relative slow-down that matters
  double floor_ns = 0;  // a slow-down below this much time does not matter either
  double alpha = 0.01;  // of regressions over the whole suite; again of improvements
  double counts = 0;    // relative growth that counts may have: of 0 every change is one
  std::map<std::string, double> metric_counts;  // by metric, in its place
  Looking looking = Looking::both;
  Tails tails = Tails::fail;
  std::string skip;               // why the case is not compared; empty when it is
  bool expected = false;          // a regression is expected: see Expectation
  std::string expectation;        // its reason and date in words
  bool expectation_over = false;  // the date has passed
  std::optional<double> at_most;  // the largest relative slow-down that is the expected one; any
                                  // without it
};

/// Whether a regression with this estimate, candidate over baseline, is the one that the rules
/// expect.
bool is_as_expected(const CaseRule& rule, double ratio);

/// The slow-down, in logarithms, above which a case that could not be decided is doubted: `delta`,
/// or what the rules expect at most. Absent where they expect any.
std::optional<double> doubted_above(const CaseRule& rule, double delta);

/// When a gate looks, and how much of its error each look may spend.
struct GatePlan {
  std::vector<int> looks;           // pairs at each look, ascending
  std::vector<double> alpha_share;  // of a case's alpha, by look; sums to 1
  std::vector<double> pass_level;   // of the test for not being slower, by look; the sum bounds the
                                    // risk of a wrong pass
  double shift = 0.5;               // regressions are tested against this part of delta
  // Tails. The first rounds choose the suspects; nothing passes before. 0: tails are not looked
  // for.
  int screening_rounds = 0;
  std::vector<int> tail_looks = {};     // rounds at each look of a suspect, ascending
  std::vector<double> tail_share = {};  // of a suspect's alpha, by look; sums to 1

  /// The most that a case, or a suspect, is measured.
  int rounds(bool suspect) const {
    const int medians = looks.empty() ? 0 : looks.back();
    return suspect && !tail_looks.empty() ? std::max(medians, tail_looks.back()) : medians;
  }
};

/// Whether a device of this kind gives exact counts and never times: its gates need no plan, no
/// delta and no alpha.
bool gives_counts(DeviceKind kind);

/// The plan for a kind of device ("cuda", "cpu", ...), and the delta that it starts from (0:
/// counts).
GatePlan plan_for(DeviceKind kind);
double default_delta(DeviceKind kind);

/// The same with another bound of the risk of a wrong pass. What a look of few pairs cannot use
/// goes to the next one.
GatePlan with_pass_risk(GatePlan plan, double risk);

/// The same without a look at tails.
GatePlan on_medians_alone(GatePlan plan);

}  // namespace ridgeline::analysis
