#pragma once

#include "harness/cli/command.hpp"
#include "harness/gate/request.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::cli {

/// Gates two stored runs: nothing is measured.
present::GateReport gate_runs(const Context& context, const gate::GateOptions& options);

/// Measures: two workers, two commits, or two variants of one build; or goes on with an interrupted gate.
present::GateReport gate_measured(const Context& context, const gate::GateOptions& options);

}  // namespace ridgeline::cli
