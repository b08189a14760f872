#pragma once

#include <vector>

#include "harness/record/run.hpp"

namespace ridgeline::analysis {

/// Of several workers the suites' own, which `gate --baseline-ref` builds; null without any.
const record::Build* main_build(const std::vector<record::Build>& builds);

}  // namespace ridgeline::analysis
