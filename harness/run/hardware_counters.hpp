#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/drive.hpp"

namespace ridgeline::run {

/// Throws when counters cannot be read of cases on `device`: a usage Error when it is no GPU, a
/// dependency Error when Nsight Compute (`ncu`) is not on the PATH.
void require_counters(const record::Device& device);

/// A case whose counters were not read.
struct Unread {
  std::string case_name;
  std::string reason;
};

/// Has Nsight Compute execute each case of the plan once more, in a process of its own, and read
/// the GPU's counters (hardware_metrics()). Adds them to the last measurement with samples that the
/// run has of the case; a case without one, or with counters, is left alone. Nothing else is
/// measured meanwhile, so times know nothing of it. `tell` is called before each case, with how
/// many come after it.
std::vector<Unread> read_counters(const Plan& plan, store::Store& store,
                                  const std::function<void(const std::string&, int)>& tell);

}  // namespace ridgeline::run
