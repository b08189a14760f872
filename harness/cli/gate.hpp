#pragma once

#include <vector>

#include "harness/cli/command.hpp"
#include "harness/gate/request.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::cli {

/// Measures: two workers, two commits, or two variants of one build; or goes on with an interrupted
/// gate. Of several devices ("cpu,cuda:0") one gate each, one after the other, with one alpha for
/// the cases of all.
std::vector<present::GateReport> gates_measured(const Context& context,
                                                const gate::GateOptions& options);
/// The same of one device.
present::GateReport gate_measured(const Context& context, const gate::GateOptions& options);

}  // namespace ridgeline::cli
