#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/measure/measure.hpp"

namespace ridgeline::measure {

class RightOutput;

/// Compares outputs of a case with what the oracle makes of their inputs, and writes into its
/// measurement what comes of it: the verification that is kept, the time that it took, and the
/// outcome `wrong_result` with the first reason.
class Judge {
 public:
  /// Keeps references: all must outlive it.
  Judge(Setup& setup, const Workload& workload, const PrepareOptions& options,
        record::Measurement& measurement)
      : setup_(setup), workload_(workload), options_(options), measurement_(measurement) {}

  bool right_so_far() const { return measurement_.outcome == record::Outcome::ok; }

  /// Launches once on a poisoned output.
  void execute(Turn turn);
  /// Wall time of the newest such execution, of the slowest rank.
  double alone_ns() const { return alone_ns_; }

  /// Compares an output, as it is. A rank that is wrong makes every rank wrong. `when` begins the
  /// reason: "before", "while", "after".
  void compare(Turn turn, const char* when);
  /// The same of several, until one is wrong.
  void compare_all(const std::vector<Turn>& turns, const char* when);

  /// Whatever is found of a kernel that is distrusted: its times are none. Empty is nothing.
  void convict(const std::string& finding);
  void look_for_damage();

 private:
  record::Verification found(Turn turn);
  std::optional<RightOutput> known_output(Turn turn);

  Setup& setup_;
  const Workload& workload_;
  const PrepareOptions& options_;
  record::Measurement& measurement_;
  double alone_ns_ = 0;
};

}  // namespace ridgeline::measure
