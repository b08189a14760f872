#pragma once

#include <vector>

#include "harness/record/run.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::run {

/// Makes sure that whatever is measured under a launcher is measured by `expected` ranks, and that
/// something is. Throws a usage Error when a case has another number, or none has any; a dependency
/// Error when there are fewer GPUs or cores than that, so that no case could be measured.
void expect_ranks(int expected, const std::vector<Selected>& cases,
                  const std::vector<Worker>& workers, const record::Device& device);

}  // namespace ridgeline::run
