#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/device/device.hpp"

/// NVIDIA's management library, opened at run time: what the driver knows of a GPU beside its work.
/// Reads only, sets nothing.
namespace ridgeline::device::nvml {

/// One GPU. Absent answers mean that the library is not there or that this GPU has no such thing;
/// nothing here throws.
class Gpu {
 public:
  explicit Gpu(const std::string& uuid);  // "GPU-..." as CUDA tells it, or of a MIG instance
                                          // "MIG-..."

  /// Clocks, power, temperature and throttle reasons, and the neighbours at most once a second,
  /// since they are slow to ask for.
  Reading read();
  std::optional<double> read_energy_j();
  std::optional<double> read_sm_clock_mhz();

  /// Adds what NVML knows to `facts`: free memory, PCI id, and the comparable and recorded parts.
  void describe(Facts& facts) const;

 private:
  std::optional<int> neighbours();

  void* handle_ = nullptr;
  std::optional<int> neighbours_;
  std::chrono::steady_clock::time_point neighbours_read_{};
};

}  // namespace ridgeline::device::nvml
