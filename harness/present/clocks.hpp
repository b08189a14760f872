#pragma once

#include <string>

#include "harness/analysis/clocks.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::present {

/// "fixed frequency, 1,980 MHz" or "fixed power: at its limit in 34 of 249 measurements, from 1,410
/// to 1,980 MHz".
std::string clocks_text(const analysis::Clocks& clocks);
json::Value to_json(const analysis::Clocks& clocks);

}  // namespace ridgeline::present
