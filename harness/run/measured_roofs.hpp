#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::run {

/// Gathers the ceilings that the cases of a run have measured: for each kind of roof the best case,
/// by the median over its processes. A case counts when every one of its processes was ok; values
/// that are not finite and above 0 are skipped.
class MeasuredRoofs {
 public:
  void add(const record::Case& info, const record::Measurement& measurement);
  /// Sorted by kind, with source "measured".
  std::vector<record::Roof> roofs() const;

 private:
  struct Reached {
    std::vector<double> values;  // one per process
    bool all_ok = true;
  };
  std::map<std::string, std::map<std::string, Reached>> reached_;  // by kind, then by case
};

/// Unit of a roof of this kind: "FLOP/s" for fma.* and tensor.*, "ns" for latency.*, else "B/s".
std::string roof_unit(const std::string& kind);

}  // namespace ridgeline::run
