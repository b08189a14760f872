#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/drive.hpp"

namespace ridgeline::present {

/// "device cpu: AMD EPYC (cpu-amd-epyc-2c)" and a newline; says so where nobody chose it, and why
/// it is no GPU, where that is given.
std::string device_text(const record::Device& device, bool chosen,
                        std::string_view why_no_gpu = "");
/// "40 cases in 3 processes, profile quick, at most 3 min 00 s".
std::string executions_text(const run::Plan& plan);

/// "before the start: other programs use 1.0 of 4 processors", a line each; empty without doubts.
std::string doubts_text(const std::vector<std::string>& doubts);

/// Prints what a run into the folder `results` would measure, and for about how long, below
/// `device_line`. Returns the exit code.
int dry_run(const std::filesystem::path& results, const run::Plan& plan,
            const std::string& device_line, bool json, bool quiet);

}  // namespace ridgeline::present
