#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/run/drive.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::present {

/// "device cpu: AMD EPYC (cpu-amd-epyc-2c)" and a newline.
std::string device_text(const record::Device& device);
/// The same of the best one that `asked` have, which nobody chose: says so, and in a second line
/// why it is no GPU, where they say that.
std::string best_device_text(const record::Device& device, const std::vector<run::Worker>& asked);

/// "40 cases in 3 processes, profile quick, at most 2 min 30 s".
std::string executions_text(const run::Plan& plan);

/// "before the start: other programs use 1.0 of 4 processors", a line each; empty without doubts.
std::string doubts_text(const std::vector<std::string>& doubts);

/// Prints what a run into the folder `results` would measure, and for about how long, below
/// `device_line`. Returns the exit code.
int dry_run(const std::filesystem::path& results, const run::Plan& plan,
            const std::string& device_line, bool json, bool quiet);

}  // namespace ridgeline::present
