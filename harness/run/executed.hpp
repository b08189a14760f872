#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/read_runs.hpp"

namespace ridgeline::run {

/// What a run that is resumed has of its executions. One is a case in a replicate; it is there when
/// its last attempt came to an end. What the budget cut off, or never reached, did not.
class Executed {
 public:
  Executed() = default;
  /// `measurements` are all of the run, as stored, and `case_timeout_s` its profile's.
  Executed(const std::vector<store::StoredMeasurement>& measurements, double case_timeout_s);

  /// Whether the case needs no execution in this replicate. What cannot be measured on a device is
  /// decided once, for all replicates.
  bool has(const std::string& name, int replicate) const;
  /// In how many of `replicates` it does.
  int left(const std::string& name, int replicates) const;
  /// How many attempts at it are stored, those that did not come to an end among them.
  int attempts(const std::string& name, int replicate) const;
  /// Whether any of its executions is there.
  bool has_any(const std::string& name) const { return any_.contains(name); }
  std::size_t count() const { return ended_.size(); }

 private:
  using Place = std::pair<std::string, int>;
  std::map<Place, int> attempts_;
  std::set<Place> ended_;
  std::set<std::string> any_, decided_;
};

/// Whether the run's budget ended it, or came before it, so that nothing was found out about the
/// case. Older runs, and sides of gates, have a timeout that used less than the case's own time.
bool is_cut_off(const record::Measurement& measurement, double case_timeout_s);

}  // namespace ridgeline::run
