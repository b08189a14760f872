#pragma once

#include <string>
#include <string_view>

#include "harness/analysis/trend.hpp"

namespace ridgeline::present {

/// "power_limit_w 200": what tells the comparable environment of a case's series from others that
/// it takes turns with, as where one machine is measured in two settings each night. Empty where it
/// takes turns with none.
std::string turning_environment(const analysis::DeviceTrend& trend, std::string_view case_name,
                                const std::string& environment);

}  // namespace ridgeline::present
