#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/bisection.hpp"
#include "harness/gate/paired_case.hpp"
#include "harness/record/gate.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::gate {

/// What the search for a commit asks of a gate of the good commit and another one.
struct CommitQuestion {
  std::string case_name;
  double delta = 0, alpha = 0, beta = 0;  // of times; the last two are the gate's risks
  // Of counts: the metric that changed most between the end points, and its value at the bad one.
  std::string metric;
  double bad_value = 0;
};

/// What such a gate says.
struct StoredAnswer {
  analysis::Tested tested = analysis::Tested::open;
  std::string why;                           // in words, where it is neither good nor bad
  std::optional<double> ratio;               // candidate over baseline
  std::vector<analysis::PairedTimes> pairs;  // that it stands on
  record::CaseVerdict verdict;               // the gate's own
};

/// A stored gate's answer: its verdict, where it was to be as sure as the question wants it;
/// otherwise what its pairs say at the looks of a gate that is. Of counts the side of the middle on
/// which the metric lies.
StoredAnswer answer_of(const store::FoundGate& found, const CommitQuestion& question);

/// Stored gates of commits on one device in one comparable environment.
class GatesOfCommits {
 public:
  GatesOfCommits(const std::filesystem::path& results, const std::string& device_uuid,
                 std::string environment, const store::LeftOut& left_out);

  /// The newest finished gate of these commits that has a verdict on the case. No other: who takes
  /// the first of several that decides is wrong more often than each of them.
  std::optional<store::FoundGate> finished(const Sides<std::string>& commits,
                                           const std::string& case_name) const;
  /// The newest gate that was interrupted or killed and asks this question of these commits; its
  /// id.
  std::optional<std::string> unfinished(const Sides<std::string>& commits,
                                        const CommitQuestion& question) const;

 private:
  std::vector<const store::FoundGate*> of(const Sides<std::string>& commits) const;

  std::string environment_;              // its hash
  std::vector<store::FoundGate> gates_;  // of any two commits on the device
};

}  // namespace ridgeline::gate
