#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/record/run.hpp"

/// A worker times itself. What it says is set beside this program's clock, and beside what clocks
/// can say at all.
namespace ridgeline::run {

/// Why samples of so many executions each cannot have been taken in `waited_s` of wall time, in
/// which the worker answered all requests for them; empty when they can. A clock of another device
/// may be off by 5% and 10 ms.
std::string impossible_times(std::span<const double> samples_ns, std::int64_t executions_per_sample,
                             double waited_s);

/// Why samples look invented although they are possible; empty when they do not. No clock says the
/// same time dozens of times.
std::string doubtful_times(std::span<const double> samples_ns);

/// Whether the times of a device come from a script and pass faster, or slower, than any clock. It
/// is asked for by name (`--device fake`): no worker can have its times pass for such.
bool has_scripted_times(const record::Device& device);

}  // namespace ridgeline::run
