#pragma once

#include <vector>

#include "harness/measure/batches.hpp"
#include "harness/measure/judge.hpp"

namespace ridgeline::measure {

/// Of what samples left, the outputs to compare: the newest, before it can be written late, and one
/// that nobody can foresee.
std::vector<Turn> unforeseen(const std::vector<Turn>& left);

/// Compares what the timed executions left. Writes that again, each output from other inputs, and
/// compares again. For workloads whose executions leave their inputs as they are.
void verify_timed(const Setup& setup, const Workload& workload, Batches& batches, Judge& judge,
                  record::Measurement& measurement);

}  // namespace ridgeline::measure
