#include <cmath>
#include <map>

#include "harness/present/gate_words.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {
namespace {

using json::put;

json::Value facts_json(const GateReport& report) {
  const record::Gate& gate = report.gate;
  const std::string_view status =
      report.state.empty() ? record::to_string(gate.status) : report.state;
  json::Value object = record::to_json(gate);
  object.erase("options");
  object["status"] = status;
  if (!report.state.empty() && status != "finished") object["pairs"] = report.pairs;
  return object;
}

/// The cells that are not empty.
json::Value words_json(const GateRow& row) {
  json::Value object{{"verdict", row.verdict}};
  put(object, "against", row.baseline);
  put(object, "change", row.change);
  put(object, "interval", row.interval);
  put(object, "delta", row.delta);
  put(object, "baseline", row.baseline_value);
  put(object, "candidate", row.candidate_value);
  put(object, "ratio", row.ratio);
  put(object, "pairs", row.pairs);
  put(object, "noise", row.noise);
  put(object, "why", row.why);
  return object;
}

json::Value beside_json(const analysis::BesideTimes& each) {
  const analysis::MetricChange& metric = each.metric;
  json::Value object{{"name", metric.name},
                     {"unit", metric.unit},
                     {"direction", record::to_string(metric.direction)},
                     {"exact", each.exact}};
  put(object, "baseline", metric.baseline);
  put(object, "candidate", metric.candidate);
  return object;
}

}  // namespace

json::Value to_json(const record::CaseVerdict& verdict) {
  json::Value object{{"case", verdict.case_name}, {"verdict", record::to_string(verdict.verdict)}};
  if (verdict.baseline_case != verdict.case_name)
    put(object, "baseline_case", verdict.baseline_case);
  object["fails"] = fails(verdict);
  object["doubtful"] = is_doubtful(verdict);
  json::Value stored = record::to_json(verdict);
  for (const char* key :
       {"case_name", "baseline_case", "expected", "expectation", "expectation_over", "no_room"})
    stored.erase(key);
  if (verdict.dropped == 0)
    for (const char* key : {"dropped_baseline", "dropped_candidate"}) stored.erase(key);
  if (!verdict.tail_suspected) stored.erase("tail_suspected");
  object.update(stored);
  if (expected(verdict) != Expected::nothing)
    object["expectation"] = {{"text", verdict.expectation},
                             {"state", words_of(expected(verdict)).name}};
  object["words"] = words_json(gate_row(verdict));
  return object;
}

json::Value to_json(const record::Pair& pair) {
  json::Value object{{"case", pair.case_name},
                     {"round", pair.round},
                     {"first", pair.baseline_first ? "baseline" : "candidate"},
                     {"baseline_ns", pair.baseline_ns},
                     {"candidate_ns", pair.candidate_ns},
                     {"log_ratio", std::log(pair.candidate_ns / pair.baseline_ns)}};
  put(object, "dropped", to_text(pair.dropped));
  return object;
}

json::Value to_json(const GateReport& report) {
  std::map<record::Verdict, int> counts;
  for (const record::CaseVerdict& verdict : report.verdicts) ++counts[verdict.verdict];
  json::Value object{{"gate", facts_json(report)}, {"device", record::to_json(report.device)}};
  if (report.gate.status != record::RunStatus::running) object["exit_code"] = report.exit_code;
  object.update({{"fails", fails(report)},
                 {"doubtful", is_doubtful(report)},
                 {"conclusions", conclusions(report)},
                 {"counts_text", counts_text(report)},
                 {"gives", compares_counts(report) ? "counts" : "times"},
                 {"counted", counted(report.gate)},
                 {"notes", report.notes},
                 {"counts", json::Value::object()},
                 {"verdicts", json::Value::array()}});
  for (const auto& [verdict, count] : counts)
    object["counts"][std::string(record::to_string(verdict))] = count;
  std::map<std::string, json::Value> rounds;
  for (const record::Pair& pair : report.rounds) {
    json::Value round = to_json(pair);
    round.erase("case");
    rounds[pair.case_name].push_back(std::move(round));
  }
  for (const record::CaseVerdict& verdict : report.verdicts) {
    json::Value one = to_json(verdict);
    one["words"] = words_json(gate_row(report, verdict));
    if (const auto found = report.beside.find(verdict.case_name);
        found != report.beside.end() && !found->second.empty())
      for (const analysis::BesideTimes& each : found->second)
        one["beside"].push_back(beside_json(each));
    if (const auto found = rounds.find(verdict.case_name); found != rounds.end())
      one["rounds"] = found->second;
    object["verdicts"].push_back(std::move(one));
  }
  if (report.forecast) object["forecast"] = gate::to_json(*report.forecast);
  if (!spent_text(report).empty())
    object["time"] = {{"text", spent_text(report)},
                      {"total_ns", report.spent.total},
                      {"sampling_ns", report.spent.sampling},
                      {"warming_up_ns", report.spent.warming_up},
                      {"preparing_ns", report.spent.preparing},
                      {"verifying_ns", report.spent.verifying}};
  if (!report.doubts.empty()) object["doubts"] = report.doubts;
  put(object, "repeat", report.repeat);
  put(object, "file", report.file.string());
  return object;
}

json::Value to_json(std::span<const GateReport> reports) {
  if (reports.size() == 1) return to_json(reports.front());
  json::Value object{{"exit_code", gate_exit_code(reports)}, {"gates", json::Value::array()}};
  for (const GateReport& report : reports) object["gates"].push_back(to_json(report));
  return object;
}

}  // namespace ridgeline::present
