#pragma once

#include <cstdint>
#include <string>

#include "harness/record/measurement.hpp"

/// What a measurement must say, beside the rule of each field (fields.hpp): a message that breaks
/// one is refused, and so is a row of a results file.
namespace ridgeline::record {

/// The first rule that `measurement` breaks, as the end of a sentence that begins with its name:
/// "says outcome ok without samples". Empty when it breaks none. It has, or had, so many samples:
/// they may have been dropped, or left out.
std::string broken_rule(const Measurement& measurement, std::int64_t samples);

/// Likewise of a metric, whose name may promise a unit and a sign: "says energy -5 J".
std::string broken_rule(const Metric& metric);

/// Why samples that were taken meanwhile do not count: they are invalid_environment. Empty when
/// they count.
std::string disturbance(const Telemetry& telemetry);

}  // namespace ridgeline::record
