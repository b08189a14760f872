#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::run {

/// The ceilings that the cases of a run have measured, sorted by kind: for each kind of roof the
/// best case, by the median over the processes that stand for it (analysis::over_processes). One
/// whose processes were not all ok still counts, and its roof is marked as unsteady; one that was
/// disturbed in every process counts only where there is no other of its kind. Values that are not
/// finite and above 0 are skipped. `limit`: Run::unstable.
std::vector<record::Roof> measured_roofs(const std::vector<store::StoredMeasurement>& measurements,
                                         std::optional<double> limit);

/// Unit of a roof of this kind: "FLOP/s" for fma.* and tensor.*, "ns" for latency.*, else "B/s".
std::string roof_unit(const std::string& kind);

}  // namespace ridgeline::run
