#include "harness/record/json.hpp"

#include <cmath>

#include "harness/base/text.hpp"

namespace ridgeline::record {

void JsonWriter::write(const char* name, double number, const Rule& rule) {
  if (std::isfinite(number))
    object_[name] = number;
  else if (!rule.finite)
    object_[name] = std::isnan(number) ? "nan" : "inf";
}

void JsonWriter::write(const char* name, const std::string& text, const Rule& rule) {
  object_[name] = rule.cut ? printable(text, rule.longest - 16) : text;
}

void JsonWriter::write(const char* name, const std::vector<Field>& pairs, const Rule&) {
  json::Value& list = object_[name] = json::Value::array();
  for (const Field& pair : pairs) list.push_back({pair.key, pair.value});
}

void JsonWriter::write(const char* name, const std::vector<Metric>& metrics, const Rule&) {
  json::Value& list = object_[name] = json::Value::array();
  for (const Metric& metric : metrics)
    if (std::isfinite(metric.value)) list.push_back(to_json(metric));
}

}  // namespace ridgeline::record
