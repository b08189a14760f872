#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/worker/program.hpp"

/// A worker for studies of the gate: suite `calibration`, kernels that behave like real ones and
/// can be told to do a given percentage of extra work, which they count. The extra work runs
/// through the same instructions, so that a known slow-down is real and not edited into times.
namespace ridgeline::worker::calibration {

/// Cases that do `extra_percent` more work than they are called for; less when it is negative. Says
/// a code hash of its own for each percentage, as builds of different code would. Each measurement
/// has a metric `work`: the units that the kernel counted in the execution that was verified last.
Program program(double extra_percent);
std::vector<Case> cases(double extra_percent);
std::vector<Case> cuda_cases(double extra_percent);  // those of a GPU; only in builds with CUDA

/// Takes `--extra PERCENT` (or `--extra=PERCENT`) out of the command line; 0 without one. Throws a
/// usage Error unless PERCENT is a number above -100 and at most 1000.
double take_extra(std::vector<std::string>& arguments);

/// `units` and the percentage of them more, to the nearest whole unit.
std::int64_t with_extra(std::int64_t units, double percent);

}  // namespace ridgeline::worker::calibration
