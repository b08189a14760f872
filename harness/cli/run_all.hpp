#pragma once

#include "harness/cli/run_measured.hpp"

namespace ridgeline::cli {

/// What --device calls all GPUs of the machine.
inline constexpr const char* all_gpus = "all";

/// Measures on all GPUs at the same time, a run of its own on each, with one seed for all: the same
/// order and inputs. Then says which is slower than its siblings, those of the same model. Cases of
/// several ranks are left out, which would have the GPUs disturb each other. On a machine with one
/// GPU that one run. Returns the first of 130, a failure's own code, 2, 3 and 0 that holds for one
/// of them. Throws a usage Error where there is no GPU, or for options that are about one run.
int run_on_all(const Context& context, const RunOptions& options);

/// The command line of `run` as typed, made into that of one device: `arguments` with its id in
/// place of "all", with --json, and with `more` right after the command.
std::vector<std::string> arguments_for(const std::vector<std::string>& arguments,
                                       const std::string& device,
                                       const std::vector<std::string>& more);

}  // namespace ridgeline::cli
