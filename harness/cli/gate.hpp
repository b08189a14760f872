#pragma once

#include "harness/cli/command.hpp"
#include "harness/gate/request.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::cli {

/// Measures: two workers, two commits, or two variants of one build; or goes on with an interrupted
/// gate.
present::GateReport gate_measured(const Context& context, const gate::GateOptions& options);

}  // namespace ridgeline::cli
