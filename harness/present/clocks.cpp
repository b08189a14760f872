#include "harness/present/clocks.hpp"

#include <fmt/core.h>

#include "harness/base/units.hpp"

namespace ridgeline::present {

std::string clocks_text(const analysis::Clocks& clocks) {
  if (clocks.fixed_frequency())
    return fmt::format("fixed frequency, {:.0f} MHz", clocks.highest_mhz);
  const std::string lowest = fmt::format("{:.0f}", clocks.lowest_mhz),
                    highest = fmt::format("{:.0f}", clocks.highest_mhz),
                    range = lowest == highest ? highest + " MHz"
                                              : fmt::format("from {} to {} MHz", lowest, highest);
  if (clocks.at_power_limit == 0)
    return fmt::format("neither frequency nor power was fixed, {}", range);
  return fmt::format("fixed power: at its limit in {} of {}, {}", clocks.at_power_limit,
                     units::plural(clocks.timed, "measurement"), range);
}

json::Value to_json(const analysis::Clocks& clocks) {
  return {{"fixed", clocks.fixed_frequency()    ? "frequency"
                    : clocks.at_power_limit > 0 ? "power"
                                                : "neither"},
          {"measurements", clocks.timed},
          {"at_power_limit", clocks.at_power_limit},
          {"lowest_mhz", clocks.lowest_mhz},
          {"highest_mhz", clocks.highest_mhz}};
}

}  // namespace ridgeline::present
