#pragma once

#include <optional>
#include <vector>

#include "harness/measure/measure.hpp"

namespace ridgeline::measure {

/// Executions without a pause, which bring a device to the power and the clock that it can keep up.
/// All are counted between the same two steps of the device's energy counter, so that energy is
/// power times time.
struct Sustained {
  double executions = 0, seconds = 0, energy_j = 0;
  std::optional<double> sm_clock_mhz;  // mean of what the device says at the steps
};

/// Executes the workload without a pause for `options.energy_budget_ns` of wall time. The counter
/// moves in steps, so only whole steps count. Absent where the device has no such counter, or it
/// has moved fewer than four times, and of single launches, between which a GPU idles.
/// `execution_ns`: the time of one.
std::optional<Sustained> execute_without_pause(const Setup& setup, const Workload& workload,
                                               const PrepareOptions& options, double execution_ns);

/// `energy` of one execution, the work that a joule does where the workload has any, and what is
/// sustained: the time of one execution, power and clock.
std::vector<record::Metric> sustained_metrics(const Sustained& sustained, const Workload& workload);

}  // namespace ridgeline::measure
