#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/paired_times.hpp"

/// The search for the commit that made a case slower. docs/how-to-bisect.md has its argument.
namespace ridgeline::analysis {

/// What is known of a commit: as before the change, with it, or not and never to be known.
enum class Tested { open, good, bad, untestable };

/// Which commits may be the first that is bad, by what is known of some of them: whoever has a bad
/// commit among its ancestors is bad.
class CommitsLeft {
 public:
  /// `parents` of each commit, as places of earlier ones; the last commit is bad, and the others
  /// are its ancestors. At least one commit, and at most most_commits.
  explicit CommitsLeft(const std::vector<std::vector<std::size_t>>& parents);

  /// The commit whose answer leaves the fewest, whichever it is; absent when no answer would leave
  /// fewer. Behind those that cannot be tested it moves away from them.
  std::optional<std::size_t> next() const;
  void learn(std::size_t commit, Tested tested);
  /// In their order; the last of them is known to be bad.
  std::vector<std::size_t> left() const;

 private:
  std::size_t common(std::size_t commit) const;

  std::vector<std::vector<bool>> lines_;  // of each commit: itself and its ancestors
  std::vector<bool> left_, untestable_;
  std::size_t in_a_row_ = 0;  // that could not be tested
};
inline constexpr std::size_t most_commits = 10'000;

/// Gates of a search among so many commits when each of them decides: one of the end points, and
/// one for each halving.
int planned_gates(std::size_t commits);

/// The part of `error` that gate number `gate` (from 1) of a search may spend. Half of it is shared
/// by the planned gates alike, the rest by those beyond; the sum is never above `error`.
double error_share(double error, int gate, int planned);

/// What a gate of one commit says.
struct CommitAnswer {
  Tested tested = Tested::open;  // open: the gate could not decide
  bool gated = true;             // false: known without error, such as a commit that does not build
};

struct BisectionLimits {
  double error = 0.05;  // most that the true commit is not among those that are named
  int gates = 1;        // before the search: that of the end points
  int attempts = 3;     // at a commit that a gate could not decide
  int most_gates = 0;   // those before included; 0: three times the planned ones
};

/// Of error_share(error, 1, ...), the part that the test of the end points may spend. So little
/// that its gate takes the pairs that proven_slowdown(), which spends the rest, needs.
inline constexpr double part_of_ends = 0.01;

struct Bisected {
  std::vector<std::size_t> left;  // the first bad commit, or those it is among
  int gates = 0;                  // those before the search included
};

/// Asks for commits until one is left, no answer would leave fewer, or there were gates
/// enough. `ask` is told what this gate may spend of the error, and which attempt (from 0) at the
/// commit it is; of a commit that stays open, nothing is taken for known.
Bisected bisect(
    const std::vector<std::vector<std::size_t>>& parents, const BisectionLimits& limits,
    const std::function<CommitAnswer(std::size_t commit, double risk, int attempt)>& ask);

/// The slow-down, as a logarithm, that is below the true one with a probability of 1 - risk,
/// whichever of its looks on medians has ended the gate with these pairs: the bound of the
/// signed-rank test, with the look's share of the risk. -infinity when so few pairs show none.
double proven_slowdown(const GatePlan& plan, std::span<const PairedTimes> pairs, double risk);

/// The delta, relative, of gates that tell commits without a slow-down from those with `slowdown`,
/// a logarithm, or more: both sides of it have the same room.
double dividing_delta(double slowdown);

}  // namespace ridgeline::analysis
