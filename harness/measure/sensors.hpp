#pragma once

#include <chrono>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// Reads a device's sensors while a case is sampled, and sums the readings up. A reading costs
/// time, so `poll` reads only when the last one is some tens of milliseconds old; it is never
/// called inside a timed batch.
class Sensors {
 public:
  explicit Sensors(device::Device& device) : device_(device) {}
  void read();
  void poll();
  /// Median of the clocks, highest power and temperature, every throttle reason seen, most
  /// neighbours seen.
  record::Telemetry summary() const;

 private:
  device::Device& device_;
  std::vector<device::Reading> readings_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace ridgeline::measure
