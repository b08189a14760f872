#pragma once

#include "harness/base/json.hpp"
#include "harness/record/gate.hpp"

namespace ridgeline::analysis {

/// Adds the numbers of a verdict to `object`, under the names that every document uses for them: ratios, delta, the
/// metric and its values where counts were compared, times, numbers of pairs and what the test said. What is absent or
/// no finite number is left out.
void put_numbers(json::Value& object, const record::CaseVerdict& verdict);

}  // namespace ridgeline::analysis
