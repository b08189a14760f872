#pragma once

#include <vector>

#include "harness/worker/calibration/planted.hpp"
#include "harness/worker/program.hpp"

/// A worker for studies of the gate: suite `calibration`, kernels that behave like real ones and
/// can be told to do a given percentage of extra work, which they count. The extra work runs
/// through the same instructions, so that a known slow-down is real and not edited into times.
namespace ridgeline::worker::calibration {

/// Cases that do what is planted. Says a code hash of its own for each Planted, as builds of
/// different code would. Each measurement has a metric `work`: the units that the kernel counted in
/// the execution that was verified last. Throws a usage Error when there is no case of the name
/// that it is planted in.
Program program(const Planted& planted);
std::vector<Case> cases(const Planted& planted);
std::vector<Case> cuda_cases(const Planted& planted);  // those of a GPU; only in builds with CUDA

}  // namespace ridgeline::worker::calibration
