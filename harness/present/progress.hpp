#pragma once

#include <map>
#include <string>

#include "harness/present/terminal.hpp"
#include "harness/record/measurement.hpp"
#include "harness/run/drive.hpp"

namespace ridgeline::present {

/// "1.23 ms, 45.6 GFLOP/s, ±0.8% of 120 samples", or the outcome and its reason.
std::string one_line(const record::Case& info, const record::Measurement& measurement);

/// Shows how far a run is: on a terminal a bar that stays on the last line, with failures above it;
/// elsewhere one line a case.
class ProgressDisplay : public StatusLine {
 public:
  using StatusLine::StatusLine;
  void tick(const run::Progress& progress);
  void stored(const run::Progress& progress, const run::Selected& selected,
              const record::Measurement& measurement);
  /// Says what was counted, and takes the line away.
  void clear() {
    say_more();
    StatusLine::clear();
  }
  /// The case's hardware counters are being read, and those of `after` cases after it.
  void counting(const std::string& case_name, int after);

 private:
  void say_more();

  std::string rate_;  // of the case before
  // Cases for more ranks or more GPUs than there is place for come by the hundred, all with a few
  // reasons: after the first of each they are counted.
  std::map<std::string, int> more_;
};

}  // namespace ridgeline::present
