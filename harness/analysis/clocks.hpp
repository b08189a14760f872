#pragma once

#include <optional>
#include <vector>

#include "harness/store/read_runs.hpp"

namespace ridgeline::analysis {

/// At which clocks a GPU timed the cases of a run, and what set them.
struct Clocks {
  int timed = 0;                           // measurements with samples
  int at_power_limit = 0;                  // of them
  double lowest_mhz = 0, highest_mhz = 0;  // of the SMs, medians of a measurement each
  /// The clock was the same throughout, within 1%, and the power limit never lowered it. Otherwise
  /// the run was at fixed power, as far as the limit was reached.
  bool fixed_frequency() const { return at_power_limit == 0 && highest_mhz <= 1.01 * lowest_mhz; }
};

/// Absent without a measurement whose device told its clock and its power: of CPUs, and of GPUs
/// without NVML.
std::optional<Clocks> clocks_of(const std::vector<store::StoredMeasurement>& measurements);

}  // namespace ridgeline::analysis
