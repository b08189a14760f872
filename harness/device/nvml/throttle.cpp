#include "harness/device/nvml/throttle.hpp"

#include <fmt/core.h>

namespace ridgeline::device::nvml {
namespace {

// Source: NVML API reference, nvmlClocksEventReasons.
struct Reason {
  std::uint64_t bit;
  const char* name;
  bool by_hardware;
};
constexpr Reason known[] = {
    {gpu_idle, "gpu_idle", false},
    {0x002, "applications_clocks_setting", false},
    {0x004, "sw_power_cap", false},
    {0x008, "hw_slowdown", true},
    {0x010, "sync_boost", false},
    {0x020, "sw_thermal_slowdown", true},
    {0x040, "hw_thermal_slowdown", true},
    {0x080, "hw_power_brake_slowdown", true},
    {0x100, "display_clock_setting", false},
};

}  // namespace

Throttle read_throttle(std::uint64_t mask) {
  Throttle throttle;
  const auto add = [&](const std::string& name) {
    throttle.reasons += (throttle.reasons.empty() ? "" : ",") + name;
  };
  for (const Reason& reason : known) {
    if ((mask & reason.bit) == 0) continue;
    add(reason.name);
    throttle.by_hardware = throttle.by_hardware || reason.by_hardware;
    mask &= ~reason.bit;
  }
  if (mask != 0) add(fmt::format("unknown_{:#x}", mask));
  return throttle;
}

}  // namespace ridgeline::device::nvml
