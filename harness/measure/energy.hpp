#pragma once

#include <optional>
#include <vector>

#include "harness/measure/measure.hpp"

namespace ridgeline::measure {

/// Energy of one execution in J: executes the workload without a pause on the device for
/// `options.energy_budget_ns` of wall time, and divides what the device's counter says by the
/// executions. The counter moves in steps, so only whole steps count. Absent where the device has
/// no such counter, or it has moved fewer than four times, and of single launches, between which a
/// GPU idles. `execution_ns`: the time of one.
std::optional<double> energy_of_execution(const Setup& setup, const Workload& workload,
                                          const PrepareOptions& options, double execution_ns);

/// `energy`, and the work that a joule does where the workload has any.
std::vector<record::Metric> energy_metrics(double energy_j, const Workload& workload);

}  // namespace ridgeline::measure
