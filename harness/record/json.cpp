#include "harness/record/json.hpp"

#include "harness/record/json_writer.hpp"

namespace ridgeline::record {

json::Value to_json(const Case& value) { return object_of(value); }
json::Value to_json(const Device& value) { return object_of(value); }
json::Value to_json(const Environment& value) { return object_of(value); }
json::Value to_json(const Build& value) { return object_of(value); }
json::Value to_json(const Roof& value) { return object_of(value); }
json::Value to_json(const Metric& value) { return object_of(value); }
json::Value to_json(const Measurement& value) { return object_of(value); }
json::Value to_json(const Run& value) { return object_of(value); }
json::Value to_json(const Gate& value) { return object_of(value); }
json::Value stored_json(const CaseVerdict& value) { return object_of(value); }

}  // namespace ridgeline::record
