#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "harness/record/measurement.hpp"
#include "harness/run/drive.hpp"

namespace ridgeline::present {

/// "1.23 ms, 45.6 GFLOP/s, ±0.8% of 120 samples", or the outcome and its reason.
std::string one_line(const record::Case& info, const record::Measurement& measurement);

/// Shows how far a run is: on a terminal a bar that stays on the last line, with failures above it; elsewhere one line
/// a case.
class ProgressDisplay {
 public:
  /// `quiet` shows nothing.
  ProgressDisplay(std::FILE* out, bool quiet);
  ~ProgressDisplay() { clear(); }
  void tick(const run::Progress& progress);
  void stored(const run::Progress& progress, const run::Selected& selected, const record::Measurement& measurement);
  /// Takes the bar away.
  void clear();

 private:
  void draw(const run::Progress& progress);

  std::FILE* out_;
  bool quiet_, terminal_, drawn_ = false;
  std::string rate_;  // of the case before
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace ridgeline::present
