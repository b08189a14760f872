#include "harness/measure/resource_metrics.hpp"

#include <algorithm>

namespace ridgeline::measure {

std::vector<record::Metric> resource_metrics(std::span<const device::LaunchCount> kernels) {
  if (kernels.empty()) return {};
  device::KernelResources worst;
  double occupancy = 1;
  for (const device::LaunchCount& kernel : kernels) {
    if (!kernel.resources || !kernel.occupancy) return {};
    worst.registers = std::max(worst.registers, kernel.resources->registers);
    worst.spilled_bytes = std::max(worst.spilled_bytes, kernel.resources->spilled_bytes);
    worst.static_shared_bytes = std::max(worst.static_shared_bytes, kernel.resources->static_shared_bytes);
    occupancy = std::min(occupancy, kernel.occupancy->fraction);
  }
  using record::Direction;
  return {{"registers", static_cast<double>(worst.registers), "1", Direction::lower},
          {"spilled_bytes", static_cast<double>(worst.spilled_bytes), "B", Direction::lower},
          {"static_shared_bytes", static_cast<double>(worst.static_shared_bytes), "B", Direction::lower},
          {"theoretical_occupancy", occupancy, "1", Direction::higher}};
}

}  // namespace ridgeline::measure
