#pragma once

#include <string>

#include "harness/cli/command.hpp"
#include "harness/run/drive.hpp"

namespace ridgeline::cli {

/// "device cpu: AMD EPYC (cpu-amd-epyc-2c)" and a newline; says so where nobody chose it.
std::string device_text(const run::Plan& plan, bool chosen);
/// "40 cases in 3 processes, profile quick, at most 3 min 00 s".
std::string executions_text(const run::Plan& plan);

/// Prints what a run would measure, and for about how long. Returns the exit code.
int dry_run(const Context& context, const run::Plan& plan, bool device_chosen);

}  // namespace ridgeline::cli
