#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/record/measurement.hpp"

namespace ridgeline::run {

/// The counters that Nsight Compute is asked for, by its names for them, separated by commas.
std::string counters_asked_for();

/// What `table` (printed by `ncu --csv --page raw --print-units base --nvtx`) says of one execution
/// of a case: sums over the kernels in the profiler range that bears the case's name. Metrics whose
/// names begin with "hardware_": bytes between DRAM and L2, bytes that SMs move to and from L2,
/// f32 and f64 operations of CUDA cores, operations of tensor cores (a multiply-add is two), warp
/// instructions, and wavefronts of shared memory. Throws a dependency Error when the table has no
/// such kernel, or lacks a counter, or has a cell that is no number.
std::vector<record::Metric> hardware_metrics(std::string_view table, std::string_view case_name);

}  // namespace ridgeline::run
