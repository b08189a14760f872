#pragma once

#include <filesystem>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/workload.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// Executes `workload` once on poisoned outputs, on a device of Kind::emulated, and says in
/// `measurement` what came of it: counted, with metrics, sites and sources of exactly this
/// execution, or wrong_result. Relative names of source files are read below `sources`; where it is
/// empty there are none. What the device finds is thrown: device::KernelMistake,
/// device::Unsupported.
void count(const Workload& workload, device::Device& device, const std::filesystem::path& sources,
           record::Measurement& measurement);

/// Adds to `measurement` what `counts` amount to: metrics, sites and sources, as count() does.
void add_counts(const device::Counts& counts, const std::filesystem::path& sources,
                record::Measurement& measurement);

/// The files that `sites` lie in, in order of their names, as far as they can be read below `root`,
/// are no larger than a measurement may carry (all together: 4 MiB), and have not been changed
/// since `newest`.
std::vector<record::Source> read_sources(const std::vector<record::Site>& sites,
                                         const std::filesystem::path& root,
                                         std::filesystem::file_time_type newest);

}  // namespace ridgeline::measure
