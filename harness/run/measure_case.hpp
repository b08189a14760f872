#pragma once

#include <cstdint>
#include <string>

#include "harness/record/measurement.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/worker_process.hpp"

namespace ridgeline::run {

/// What one execution of a case may use.
struct CaseLimits {
  Sampling sampling;
  double sampling_s = 0;  // to sample for
  double timeout_s = 0;   // of the whole case
  double run_left_s = 0;  // of the run's budget
};

struct CaseResult {
  record::Measurement measurement;
  bool worker_usable = true;  // false when the next case needs a fresh process
  double sampling_s = 0;      // wall time between asking for samples and having them
};

/// Measures one case with a running worker. Whatever goes wrong with the worker becomes the measurement's outcome and
/// reason. Throws Interrupted alone.
CaseResult measure_case(WorkerProcess& worker, const Selected& selected, const std::string& device, std::uint64_t seed,
                        const CaseLimits& limits);

/// A measurement without samples.
record::Measurement not_measured(const Selected& selected, record::Outcome outcome, const std::string& reason);

}  // namespace ridgeline::run
