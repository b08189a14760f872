#pragma once

#include <filesystem>
#include <string>

#include "harness/gate/request.hpp"
#include "harness/present/gate_report.hpp"

namespace ridgeline::present {

/// Gates two stored runs of the folder `results`, as `command_line` asks for, and stores the gate:
/// nothing is measured.
GateReport gate_runs(const std::filesystem::path& results, const std::string& command_line,
                     const gate::GateOptions& options);

}  // namespace ridgeline::present
