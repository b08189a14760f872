#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/drive.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::run {

/// Throws when counters cannot be read of cases on `device`: a usage Error when it is no GPU, a
/// dependency Error when Nsight Compute (`ncu`) is not on the PATH.
void require_counters(const record::Device& device);

/// The cases among a run's measurements whose counters are left to read, each with the id of its
/// last measurement with samples. A case without samples has nothing to read.
std::map<std::string, std::int64_t, std::less<>> without_counters(
    const std::vector<store::StoredMeasurement>& measurements);

/// A case whose counters were not read.
struct Unread {
  std::string case_name;
  std::string reason;
};

/// Has Nsight Compute execute each case of the plan once more, in a process of its own, and read
/// the GPU's counters (hardware_metrics()). Adds them to the last measurement with samples that the
/// run has of the case, all of a case at once; a case without one, or with counters, is left alone.
/// Nothing else is measured meanwhile, so times know nothing of it. `tell` is called before each
/// case, with how many come after it. No case begins when the user has asked to stop, nor after
/// `limit_s`, when there is one: the cases that are left are among those returned.
std::vector<Unread> read_counters(const Plan& plan, store::Store& store,
                                  std::optional<double> limit_s,
                                  const std::function<void(const std::string&, int)>& tell);

}  // namespace ridgeline::run
