#include <map>

#include "harness/analysis/verdict_json.hpp"
#include "harness/cli/gate_report.hpp"
#include "harness/protocol/record_json.hpp"

namespace ridgeline::cli {
namespace {

using json::put;

const char* to_string(Expected state) {
  switch (state) {
    case Expected::nothing:
      break;
    case Expected::met:
      return "met";
    case Expected::over:
      return "over";
    case Expected::exceeded:
      return "exceeded";
    case Expected::unmet:
      return "unmet";
    case Expected::untested:
      return "untested";
  }
  return "nothing";
}

json::Value facts_json(const record::Gate& gate) {
  json::Value object{{"id", gate.id},
                     {"mode", to_string(gate.mode)},
                     {"status", record::to_string(gate.status)},
                     {"started", gate.started},
                     {"baseline", gate.baseline},
                     {"candidate", gate.candidate},
                     {"baseline_run", gate.baseline_run},
                     {"candidate_run", gate.candidate_run},
                     {"command_line", gate.command_line},
                     {"seed", gate.seed},
                     {"alpha", gate.alpha},
                     {"cases", gate.cases},
                     {"aa", gate.aa}};
  put(object, "finished", gate.finished);
  put(object, "rules_text", gate.rules_text);
  return object;
}

}  // namespace

json::Value to_json(const record::CaseVerdict& verdict) {
  json::Value object{{"case", verdict.case_name}, {"verdict", record::to_string(verdict.verdict)}};
  if (verdict.baseline_case != verdict.case_name) put(object, "baseline_case", verdict.baseline_case);
  object["fails"] = fails(verdict);
  put(object, "reason", verdict.reason);
  analysis::put_numbers(object, verdict);
  if (expected(verdict) != Expected::nothing)
    object["expectation"] = {{"text", verdict.expectation}, {"state", to_string(expected(verdict))}};
  return object;
}

json::Value to_json(const GateReport& report) {
  std::map<record::Verdict, int> counts;
  for (const record::CaseVerdict& verdict : report.verdicts) ++counts[verdict.verdict];
  json::Value object{{"gate", facts_json(report.gate)}, {"device", protocol::to_json(report.device)},
                     {"exit_code", report.exit_code},   {"notes", report.notes},
                     {"counts", json::Value::object()}, {"verdicts", json::Value::array()}};
  for (const auto& [verdict, count] : counts) object["counts"][std::string(record::to_string(verdict))] = count;
  for (const record::CaseVerdict& verdict : report.verdicts) object["verdicts"].push_back(to_json(verdict));
  put(object, "repeat", report.repeat);
  put(object, "file", report.file.string());
  return object;
}

}  // namespace ridgeline::cli
