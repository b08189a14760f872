#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {

/// "regression: +3.2% [+2.9%, +3.5%], 18 pairs", or why there are no numbers.
std::string one_line(const record::CaseVerdict& verdict);

/// What a gate says when it starts: a line with its id, its cases and its limits.
std::string start_text(const gate::GateSetup& setup, bool resumed);

/// What a budget that is too short for all cases is enough for; empty when it is not.
std::string forecast_text(const gate::GateForecast& forecast);

/// What a gate can find in what is left of its budget, as its pilot says: about.
std::string pilot_text(const gate::GateProgress& progress,
                       const std::vector<record::CaseVerdict>& verdicts);

/// Shows how far a gate is: on a terminal a bar that stays on the last line, with verdicts above it
/// that are no pass; elsewhere one line a decided case.
class GateDisplay : public StatusLine {
 public:
  using StatusLine::StatusLine;
  void tick(const gate::GateProgress& progress);
  void decided(const gate::GateProgress& progress, const record::CaseVerdict& verdict);
  void pilot(const gate::GateProgress& progress, const std::vector<record::CaseVerdict>& verdicts);
};

}  // namespace ridgeline::present
