#pragma once

#include "harness/record/run.hpp"

namespace ridgeline::run {

/// The circumstances of a run on `device` now: what the device says, and facts of the host.
record::Environment observe_environment(const record::Device& device,
                                        const std::string& ranks = {});

/// 16 hex digits that are equal for equal facts: FNV-1a over "name=value" lines.
std::string hash(const record::Facts& facts);

}  // namespace ridgeline::run
