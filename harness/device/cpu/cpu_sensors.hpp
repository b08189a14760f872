#pragma once

#include <filesystem>

#include "harness/device/device.hpp"

namespace ridgeline::device::cpu {

/// Clock of one core and temperature of the package, as far as the kernel shows them.
class Sensors {
 public:
  explicit Sensors(int cpu, const std::filesystem::path& root = "/");
  Reading read() const;

 private:
  std::filesystem::path frequency_, cpuinfo_, temperature_;  // empty where there is none
};

}  // namespace ridgeline::device::cpu
