#include "harness/present/report_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/analysis/counted_case.hpp"
#include "harness/analysis/report_sites.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseProcesses;
using analysis::CaseSummary;
using analysis::CountedCase;
using analysis::SourceTable;
using Json = json::Value;
using json::put;
using store::StoredMeasurement;

Json fields(const std::vector<record::Field>& fields) {
  Json object = Json::object();
  for (const record::Field& field : fields) object[field.key] = field.value;
  return object;
}

Json to_json(const record::Device& device) {
  return {{"id", device.id},
          {"kind", to_string(device.kind)},
          {"model", device.model},
          {"name", device.name},
          {"uuid", device.uuid},
          {"pci_id", device.pci_id},
          {"properties", Json(device.properties)},
          {"comparable", Json(device.comparable)},
          {"recorded", Json(device.recorded)}};
}

Json to_json(const record::Environment& environment) {
  return {{"hash", environment.hash},
          {"comparable", Json(environment.comparable)},
          {"recorded", Json(environment.recorded)}};
}

Json to_json(const record::Build& build) {
  return {{"worker", build.worker},      {"commit", build.commit}, {"dirty", build.dirty},
          {"compiler", build.compiler},  {"flags", build.flags},   {"cuda", build.cuda},
          {"code_hash", build.code_hash}};
}

Json to_json(const record::Roof& roof) {
  return {{"kind", roof.kind}, {"value", roof.value}, {"unit", roof.unit}, {"source", roof.source}};
}

Json to_json(const record::Metric& metric) {
  Json object{{"name", metric.name}};
  put(object, "value", metric.value);
  object["unit"] = metric.unit;
  object["direction"] = record::to_string(metric.direction);
  return object;
}

Json to_json(const record::Verification& verification) {
  Json object = Json::object();
  put(object, "error", verification.error);
  object["tolerance"] = verification.tolerance;
  return object;
}

Json to_json(const StoredMeasurement& stored) {
  const record::Measurement& m = stored.measurement;
  Json object{{"replicate", stored.replicate}, {"attempt", m.attempt}, {"outcome", record::to_string(m.outcome)}};
  put(object, "reason", m.reason);
  object["samples"] = m.sample_count();
  object["executions_per_sample"] = m.executions_per_sample;
  put(object, "launch", m.launch);
  put(object, "cache", m.cache);
  put(object, "median_ns", m.median_ns);
  put(object, "relative_spread", m.relative_spread);
  put(object, "sm_clock_mhz", m.telemetry.sm_clock_mhz);
  put(object, "power_w", m.telemetry.power_w);
  put(object, "temperature_c", m.telemetry.temperature_c);
  put(object, "throttle", m.telemetry.throttle);
  return object;
}

/// The work of a case: as its last process with samples prepared it, since some sizes are the device's choice.
std::optional<double> as_prepared(const std::vector<const StoredMeasurement*>& measurements,
                                  std::optional<double> record::Measurement::*work, std::optional<double> otherwise) {
  for (const StoredMeasurement* stored : measurements)
    if (has_samples(stored->measurement.outcome) && stored->measurement.*work) otherwise = stored->measurement.*work;
  return otherwise;
}

Json to_json(const CaseSummary& summary, const std::vector<const StoredMeasurement*>& measurements) {
  const record::Case& info = summary.case_info;
  Json object{{"name", record::name(info.id)},      {"suite", info.id.suite},
              {"variant", info.id.variant},         {"dtype", info.id.dtype},
              {"problem", fields(info.id.problem)}, {"options", fields(info.id.options)}};
  put(object, "idea", info.idea);
  object["ranks"] = info.ranks;
  put(object, "measures_roof", info.roof);
  put(object, "flops", as_prepared(measurements, &record::Measurement::flops, info.flops));
  put(object, "bytes", as_prepared(measurements, &record::Measurement::bytes, info.bytes));
  object["outcome"] = record::to_string(summary.outcome);
  put(object, "reason", summary.reason);
  object["processes"] = summary.medians_ns.size();
  put(object, "median_ns", summary.median_ns);
  if (summary.interval_ns) object["interval_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  put(object, "flop_rate", summary.flop_rate);
  put(object, "byte_rate", summary.byte_rate);
  put(object, "share_of_roof", summary.share_of_roof);
  put(object, "roof", summary.roof);
  object["beats_roof"] = summary.beats_roof;
  if (summary.verification) object["verification"] = to_json(*summary.verification);
  object["metrics"] = Json::array();
  for (const record::Metric& metric : summary.metrics) object["metrics"].push_back(to_json(metric));
  object["measurements"] = Json::array();
  for (const StoredMeasurement* measurement : measurements) object["measurements"].push_back(to_json(*measurement));
  return object;
}

Json wall_time(const std::vector<StoredMeasurement>& measurements) {
  constexpr std::array<std::pair<const char*, double record::Measurement::*>, 5> parts{
      {{"prepare_ns", &record::Measurement::prepare_ns},
       {"verify_ns", &record::Measurement::verify_ns},
       {"warmup_ns", &record::Measurement::warmup_ns},
       {"timed_ns", &record::Measurement::timed_ns},
       {"total_ns", &record::Measurement::total_ns}}};
  Json object;
  for (const auto& [name, part] : parts) {
    double sum = 0;
    for (const StoredMeasurement& stored : measurements) sum += stored.measurement.*part;
    object[name] = sum;
  }
  return object;
}

/// `sources` takes up those that the cases' sites lie in.
Json cases(const ReportRun& data, SourceTable& sources) {
  std::map<std::string, std::vector<const StoredMeasurement*>> by_name;
  std::map<std::string, CountedCase> counted;
  for (const CaseProcesses& processes : analysis::by_case(data.measurements))
    counted[record::name(processes.back()->case_info.id)] = analysis::counted_case(processes);
  for (const StoredMeasurement& stored : data.measurements)
    by_name[record::name(stored.case_info.id)].push_back(&stored);
  Json list = Json::array();
  for (const CaseSummary& summary : analysis::summarise(data.measurements, data.roofs)) {
    auto& measurements = by_name[record::name(summary.case_info.id)];
    std::ranges::sort(measurements, {}, [](const StoredMeasurement* stored) {
      return std::tuple(stored->replicate, stored->measurement.attempt, stored->id);
    });
    Json object = to_json(summary, measurements);
    if (summary.outcome == record::Outcome::counted)
      analysis::put_sites(object, counted[record::name(summary.case_info.id)], sources);
    list.push_back(std::move(object));
  }
  return list;
}

Json to_json(const ReportRun& data) {
  const record::Run& run = data.run;
  Json object{{"id", run.id}};
  put(object, "label", run.label);
  object["status"] = record::to_string(run.status);
  object["profile"] = run.profile;
  put(object, "profile_text", run.profile_text);
  object["seed"] = run.seed;
  object["started"] = run.started;
  put(object, "finished", run.finished);
  object["command_line"] = run.command_line;
  object["device"] = to_json(data.device);
  object["environment"] = to_json(data.environment);
  object["builds"] = Json::array();
  for (const record::Build& build : data.builds) object["builds"].push_back(to_json(build));
  object["roofs"] = Json::array();
  for (const record::Roof& roof : data.roofs) object["roofs"].push_back(to_json(roof));
  object["wall_ns"] = wall_time(data.measurements);
  SourceTable sources;
  object["cases"] = cases(data, sources);
  object["sources"] = sources.to_json();
  return object;
}

}  // namespace

ReportRun read_report_run(const store::Store& store, const store::RunSummary& summary) {
  const std::string& id = summary.run.id;
  ReportRun data{summary.run,      summary.device,  store.environment(id),
                 store.builds(id), store.roofs(id), store.measurements(id, store::Samples::read)};
  analysis::read_sites(store, data.measurements);
  return data;
}

json::Value report_document(const std::vector<ReportRun>& runs, const std::string& generated,
                            const std::string& ridgeline) {
  Json document{{"format", "ridgeline-report"},
                {"version", report_format_version},
                {"generated", generated},
                {"ridgeline", ridgeline},
                {"runs", Json::array()}};
  for (const ReportRun& run : runs) document["runs"].push_back(to_json(run));
  return document;
}

}  // namespace ridgeline::present
