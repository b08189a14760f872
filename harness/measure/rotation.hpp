#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/workload.hpp"

namespace ridgeline::measure {

/// Decides what one sample executes. Every sample executes equally often, and each buffer set waits for all others
/// before its turn comes again, so that a cold set is cold: executions are a multiple or a divisor of the number of
/// sets.
class Rotation {
 public:
  /// Keeps references: `device` and `workload` must outlive it.
  Rotation(device::Device& device, const Workload& workload, device::Launch launch);

  /// Makes samples of at least `wanted` executions, as few more as the rule above allows; of one with Launch::single.
  void set_executions(std::int64_t wanted);
  std::int64_t executions() const { return executions_; }

  /// Records the next batch when it has not been yet.
  void prepare_next();
  /// Executes the next batch and returns its elapsed time in ns.
  double run_ns();
  /// The buffer set of the newest execution. run_ns() must have been called.
  std::size_t last_set() const { return last_set_; }

 private:
  device::Device& device_;
  const Workload& workload_;
  device::Launch launch_;
  std::int64_t executions_ = 1;
  std::vector<std::unique_ptr<device::Batch>> batches_;
  std::size_t next_ = 0, last_set_ = 0;
};

}  // namespace ridgeline::measure
