#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/device/random.hpp"
#include "harness/record/measurement.hpp"
#include "harness/worker/calibration/kernels.hpp"

/// What the cases of all kinds of device have in common: how work that was counted is told.
namespace ridgeline::worker::calibration {

/// `work`: the units that were counted in the execution that was verified last.
inline std::vector<record::Metric> work_metric(double units) { return {{"work", units, "1", record::Direction::none}}; }

/// The verification of `wrong` things; more work than was asked for is as wrong as less.
inline record::Verification verification(std::int64_t wrong) { return {static_cast<double>(wrong), 0}; }

/// Values that rounds of x = x * 1 + round_step take on exactly: multiples of round_step in [-1, 1).
inline std::vector<float> random_starts(std::uint64_t seed, std::size_t count) {
  std::vector<float> start(count);
  for (std::size_t lane = 0; lane < count; ++lane)
    start[lane] = std::floor(device::random_uniform(seed, lane) / round_step) * round_step;
  return start;
}

/// How far each value has moved is how many rounds it was taken through. Adds up in `work` what those have done that
/// went as far as `rounds`, and counts the others as wrong.
inline record::Verification verify_rounds(const std::vector<float>& starts, const std::vector<float>& ends,
                                          std::int64_t rounds, double& work) {
  std::int64_t wrong = 0;
  work = 0;
  for (std::size_t lane = 0; lane < ends.size(); ++lane) {
    const double moved = (static_cast<double>(ends[lane]) - starts[lane]) / round_step;
    if (moved == static_cast<double>(rounds))
      work += moved;
    else
      ++wrong;  // also when it is not a number
  }
  return verification(wrong);
}

}  // namespace ridgeline::worker::calibration
