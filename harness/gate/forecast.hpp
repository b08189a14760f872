#pragma once

#include <optional>
#include <string>

#include "harness/base/json.hpp"

namespace ridgeline::gate {

/// What a gate's budget is enough for, as its first rounds tell; about.
struct GateForecast {
  int cases = 0, taken = 0;  // of the gate, and that are measured for now
  bool enough = true;        // for all that can be found in all cases
  // What a round takes, and how many fit into the budget: of the cases that are taken, and of all.
  double round_s = 0, all_round_s = 0;
  int rounds = 0, all_rounds = 0;
  int least_rounds = 0;  // with fewer, no slow-down is found
  double wanted_s = 0;   // a budget for all cases
  // The relative slow-down that half of the cases find, or a smaller one; known once the pilot is.
  std::optional<double> smallest_effect;
  bool operator==(const GateForecast&) const = default;
};

json::Value to_json(const GateForecast& forecast);

/// The options of a gate (record::Gate::options) with the forecast in them.
std::string with_forecast(const std::string& options, const GateForecast& forecast);
/// The forecast in a gate's options, which are not trusted: none where there is none, or where it
/// cannot be true.
std::optional<GateForecast> stored_forecast(const std::string& options);

}  // namespace ridgeline::gate
