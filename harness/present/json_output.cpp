#include "harness/present/json_output.hpp"

#include <cstdio>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/output.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {

std::string printed_json(const json::Value& value, int indent) {
  std::string text = value.dump(indent, json::Letters::ascii);
  constexpr std::string_view escaped = "\\u0023";  // within a text: nothing else has a '#'
  for (std::size_t at = 0; (at = text.find("##", at)) != std::string::npos; ++at)
    if (begins_log_command(std::string_view(text).substr(at))) text.replace(at, 1, escaped);
  return text + '\n';
}

void print_json(const json::Value& object) {
  json::Value all{{"ridgeline_json", json_version}};
  all.update(object);
  say(stdout, printed_json(all, 2));
}

namespace {

/// Adds where a run or gate was measured and is stored.
void put_place(json::Value& object, const std::filesystem::path& file,
               const record::Device& device) {
  object.update({{"device", device.id},
                 {"model", device.model},
                 {"device_name", device.name},
                 {"device_uuid", device.uuid},
                 {"file", file.string()}});
}

}  // namespace

json::Value to_json(const store::FoundRun& found) {
  json::Value object = record::to_json(found.summary.run);
  object.erase("profile_text");
  put_place(object, found.file, found.summary.device);
  object.update(
      {{"measurements", found.summary.measurements}, {"outcomes", json::Value::object()}});
  for (const auto& [outcome, count] : found.summary.outcomes)
    object["outcomes"][std::string(to_string(outcome))] = count;
  return object;
}

json::Value to_json(const store::FoundGate& found) {
  json::Value object = record::to_json(found.summary.gate);
  for (const char* key : {"rules_text", "options"}) object.erase(key);
  put_place(object, found.file, found.summary.device);
  object["counts"] = json::Value::object();
  for (const auto& [verdict, count] : found.summary.verdicts)
    object["counts"][std::string(to_string(verdict))] = count;
  return object;
}

void add_pruned(json::Value& object, const record::Measurement& measurement) {
  if (measurement.pruned)
    object["pruned"] = {{"samples", measurement.pruned->samples},
                        {"when", measurement.pruned->when}};
}

}  // namespace ridgeline::present
