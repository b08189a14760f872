#include "harness/present/json_output.hpp"

#include <cstdio>

#include <fmt/core.h>

#include "harness/present/terminal.hpp"

namespace ridgeline::present {

void print_json(const json::Value& object) {
  json::Value all{{"ridgeline_json", json_version}};
  all.update(object);
  say(stdout, fmt::format("{}\n", all.dump(2)));
}

json::Value to_json(const store::FoundRun& found) {
  const record::Run& run = found.summary.run;
  json::Value object{{"id", run.id},
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
                     {"outcomes", json::Value::object()}};
  if (!run.finished.empty()) object["finished"] = run.finished;
  json::put(object, "unfit", run.unfit);
  json::put(object, "gate", run.gate);
  for (const auto& [outcome, count] : found.summary.outcomes)
    object["outcomes"][std::string(to_string(outcome))] = count;
  return object;
}

json::Value to_json(const store::FoundGate& found) {
  const record::Gate& gate = found.summary.gate;
  json::Value object{{"id", gate.id},
                     {"mode", to_string(gate.mode)},
                     {"started", gate.started},
                     {"status", record::to_string(gate.status)},
                     {"device", found.summary.device.id},
                     {"model", found.summary.device.model},
                     {"device_name", found.summary.device.name},
                     {"device_uuid", found.summary.device.uuid},
                     {"baseline", gate.baseline},
                     {"candidate", gate.candidate},
                     {"baseline_run", gate.baseline_run},
                     {"candidate_run", gate.candidate_run},
                     {"aa", gate.aa},
                     {"seed", gate.seed},
                     {"command_line", gate.command_line},
                     {"file", found.file.string()},
                     {"cases", gate.cases},
                     {"counts", json::Value::object()}};
  if (!gate.finished.empty()) object["finished"] = gate.finished;
  for (const auto& [verdict, count] : found.summary.verdicts) object["counts"][std::string(to_string(verdict))] = count;
  return object;
}

json::Value to_json(const record::Environment& environment) {
  return {{"hash", environment.hash}, {"comparable", environment.comparable}, {"recorded", environment.recorded}};
}

json::Value to_json(const record::Roof& roof) {
  return {{"kind", roof.kind}, {"value", roof.value}, {"unit", roof.unit}, {"source", roof.source}};
}

void add_pruned(json::Value& object, const record::Measurement& measurement) {
  if (measurement.pruned)
    object["pruned"] = {{"samples", measurement.pruned->samples}, {"when", measurement.pruned->when}};
}

}  // namespace ridgeline::present
