#pragma once

#include "harness/base/json.hpp"
#include "harness/record/case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

/// Records as JSON: all of their fields but those that are absent.
namespace ridgeline::record {

json::Value to_json(const Case& value);
json::Value to_json(const Device& value);
json::Value to_json(const Environment& value);
json::Value to_json(const Build& value);
json::Value to_json(const Roof& value);
json::Value to_json(const Metric& value);
json::Value to_json(const Measurement& value);
json::Value to_json(const Run& value);
json::Value to_json(const Gate& value);
/// With what is stored alone: present::to_json says what it means.
json::Value stored_json(const CaseVerdict& value);

}  // namespace ridgeline::record
