#include "harness/cli/json_output.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "harness/cli/command.hpp"

namespace ridgeline::cli {

using nlohmann::ordered_json;

void print_json(const ordered_json& object) {
  ordered_json all{{"ridgeline_json", json_version}};
  all.update(object);
  say(stdout, fmt::format("{}\n", all.dump(2, ' ', false, ordered_json::error_handler_t::replace)));
}

ordered_json to_json(const store::FoundRun& found) {
  const record::Run& run = found.summary.run;
  ordered_json object{{"id", run.id},
                      {"started", run.started},
                      {"status", record::to_string(run.status)},
                      {"device", found.summary.device.id},
                      {"model", found.summary.device.model},
                      {"device_name", found.summary.device.name},
                      {"device_uuid", found.summary.device.uuid},
                      {"profile", run.profile},
                      {"label", run.label},
                      {"seed", run.seed},
                      {"command_line", run.command_line},
                      {"file", found.file.string()},
                      {"measurements", found.summary.measurements},
                      {"outcomes", ordered_json::object()}};
  if (!run.finished.empty()) object["finished"] = run.finished;
  for (const auto& [outcome, count] : found.summary.outcomes)
    object["outcomes"][std::string(to_string(outcome))] = count;
  return object;
}

ordered_json to_json(const record::Environment& environment) {
  return {{"hash", environment.hash}, {"comparable", environment.comparable}, {"recorded", environment.recorded}};
}

ordered_json to_json(const record::Roof& roof) {
  return {{"kind", roof.kind}, {"value", roof.value}, {"unit", roof.unit}, {"source", roof.source}};
}

}  // namespace ridgeline::cli
