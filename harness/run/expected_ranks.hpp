#pragma once

#include <string>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::run {

/// Throws a usage Error with the advice `how` when none of the cases is measured by ranks, of which
/// `option` says something.
void require_ranks(const std::string& option, const std::vector<Selected>& cases,
                   const std::string& how);

/// Makes sure that whatever is measured under a launcher is measured by `expected` ranks, and that
/// something is. Throws a usage Error when a case has another number, or none has any; a dependency
/// Error when there are fewer GPUs or cores than that, so that no case could be measured. What
/// there is on other hosts only its ranks know.
void expect_ranks(int expected, const std::vector<Selected>& cases,
                  const std::vector<Worker>& workers, const record::Device& device);

}  // namespace ridgeline::run
