#include "harness/analysis/clocks.hpp"

#include <algorithm>

namespace ridgeline::analysis {

std::optional<Clocks> clocks_of(const std::vector<store::StoredMeasurement>& measurements) {
  Clocks clocks;
  for (const store::StoredMeasurement& stored : measurements) {
    const record::Measurement& m = stored.measurement;
    const auto& clock = m.telemetry.sm_clock_mhz;
    if (!record::has_samples(m.outcome) || !clock || !m.telemetry.power_w) continue;
    clocks.lowest_mhz = clocks.timed == 0 ? *clock : std::min(clocks.lowest_mhz, *clock);
    clocks.highest_mhz = std::max(clocks.highest_mhz, *clock);
    ++clocks.timed;
    // Reasons are NVML's words, separated by commas.
    const std::string reasons = ',' + m.telemetry.throttle + ',';
    if (reasons.find(",sw_power_cap,") != std::string::npos) ++clocks.at_power_limit;
  }
  return clocks.timed == 0 ? std::nullopt : std::optional(clocks);
}

}  // namespace ridgeline::analysis
