#pragma once

#include <string>

#include "harness/cli/command.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {

/// Prints a stored gate, or, with a pattern in `sampled`, the pairs of the cases that it picks. Returns the exit code.
int show_gate(const Context& context, const store::FoundGate& found, const std::string& sampled);

}  // namespace ridgeline::cli
