#pragma once

#include <string>

#include "harness/worker/program.hpp"

namespace ridgeline::worker {

/// Launches the case once on poisoned outputs, inside a profiler range that bears its name,
/// verifies the result, and prints one line. On all devices but CPUs it is launched once before,
/// outside the range, since libraries choose their algorithms at the first launch. Returns 0, or 2
/// when the result is wrong. Throws when the case cannot be launched on the device.
int once(const Program& program, const std::string& case_name, const std::string& device);

}  // namespace ridgeline::worker
