#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/gate/gate.hpp"

namespace ridgeline::present {

/// "regression: +3.2% [+2.9%, +3.5%], 18 pairs", or why there are no numbers.
std::string one_line(const record::CaseVerdict& verdict);

/// What a gate can find in what is left of its budget, as its pilot says: about.
std::string pilot_text(const gate::GateProgress& progress, const std::vector<record::CaseVerdict>& verdicts);

/// Shows how far a gate is: on a terminal a bar that stays on the last line, with verdicts above it that are no pass;
/// elsewhere one line a decided case.
class GateDisplay {
 public:
  /// `quiet` shows nothing.
  GateDisplay(std::FILE* out, bool quiet);
  ~GateDisplay() { clear(); }
  void tick(const gate::GateProgress& progress);
  void decided(const gate::GateProgress& progress, const record::CaseVerdict& verdict);
  void pilot(const gate::GateProgress& progress, const std::vector<record::CaseVerdict>& verdicts);
  /// Takes the bar away.
  void clear();

 private:
  std::FILE* out_;
  bool quiet_, terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace ridgeline::present
