#pragma once

#include <string>
#include <vector>

#include "harness/worker/program.hpp"

namespace ridgeline::worker {

/// Measures the cases of `device` as an ordinary Google Benchmark program would, with Google
/// Benchmark's own flags in `arguments`. Each case is one benchmark of one iteration, whose time is
/// the median that the harness's sampler found. Returns 0, or 2 when a result was wrong.
int run_benchmarks(const Program& program, const std::string& device,
                   std::vector<std::string> arguments);

}  // namespace ridgeline::worker
