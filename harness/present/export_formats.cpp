#include "harness/present/export_formats.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"
#include "harness/present/csv_cell.hpp"
#include "harness/present/json_output.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {
namespace {

using store::StoredMeasurement;

json::Value google_context(const ExportedRun& exported) {
  json::Value context{{"date", exported.run.started},
                      {"executable", exported.builds.empty() ? "" : exported.builds.front().worker},
                      {"json_schema_version", 1},
                      {"ridgeline_run", exported.run.id},
                      {"device", exported.device.name},
                      {"model", exported.device.model},
                      {"profile", exported.run.profile},
                      {"label", exported.run.label}};
  const auto host = exported.environment.recorded.find("host");
  if (host != exported.environment.recorded.end()) context["host_name"] = host->second;
  return context;
}

json::Value google_entry(const StoredMeasurement& stored, std::size_t repetitions,
                         std::size_t repetition) {
  const record::Measurement& m = stored.measurement;
  json::Value entry{{"name", m.case_name},
                    {"run_name", m.case_name},
                    {"run_type", "iteration"},
                    {"repetitions", repetitions},
                    {"repetition_index", repetition},
                    {"threads", 1},
                    {"iterations", m.sample_count() * m.executions_per_sample},
                    {"real_time", *m.median_ns},
                    {"cpu_time", *m.median_ns},
                    {"time_unit", "ns"},
                    {"samples", m.sample_count()}};
  if (m.flops) entry["flop_rate"] = *m.flops / *m.median_ns * 1e9;
  if (m.bytes) entry["byte_rate"] = *m.bytes / *m.median_ns * 1e9;
  if (m.outcome != record::Outcome::ok)
    entry["label"] = fmt::format("{}: {}", to_string(m.outcome), m.reason);
  for (const record::Metric& metric : m.metrics)
    if (entry.find(metric.name) == nullptr) entry[metric.name] = metric.value;
  return entry;
}

/// A case without a time, which Google Benchmark has no word for.
json::Value counted_entry(const record::Measurement& m) {
  json::Value entry{{"name", m.case_name}};
  for (const record::Metric& metric : m.metrics) entry[metric.name] = metric.value;
  return entry;
}

}  // namespace

void export_google_benchmark(std::ostream& out, const ExportedRun& exported) {
  json::Value document{{"context", google_context(exported)},
                       {"benchmarks", json::Value::array()},
                       {"not_measured", json::Value::array()}};
  for (const analysis::CaseProcesses& processes : analysis::by_case(exported.measurements)) {
    const auto measured = [](const StoredMeasurement* stored) {
      return stored->measurement.median_ns.has_value();
    };
    const auto repetitions = static_cast<std::size_t>(std::ranges::count_if(processes, measured));
    std::size_t repetition = 0;
    for (const StoredMeasurement* stored : processes) {
      const record::Measurement& m = stored->measurement;
      if (measured(stored))
        document["benchmarks"].push_back(google_entry(*stored, repetitions, repetition++));
      else if (m.outcome == record::Outcome::counted)
        document["counted"].push_back(counted_entry(m));
      else
        document["not_measured"].push_back({{"name", m.case_name},
                                            {"replicate", stored->replicate},
                                            {"outcome", to_string(m.outcome)},
                                            {"reason", m.reason}});
    }
  }
  out << printed_json(document, 2);
}

void export_csv(std::ostream& out, const ExportedRun& exported) {
  out << "run,model,case,suite,variant,dtype,replicate,attempt,outcome,reason,launch,cache,"
         "executions_per_sample,sample,ns\r\n";
  for (const StoredMeasurement& stored : exported.measurements) {
    const record::Measurement& m = stored.measurement;
    const record::CaseId& id = stored.case_info.id;
    const std::string start = fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_cell(exported.run.id),
        csv_cell(exported.device.model), csv_cell(m.case_name), csv_cell(id.suite),
        csv_cell(id.variant), csv_cell(id.dtype), stored.replicate, m.attempt, to_string(m.outcome),
        csv_cell(m.reason), csv_cell(m.launch), csv_cell(m.cache), m.executions_per_sample);
    if (m.samples_ns.empty()) out << start << ",,\r\n";
    for (std::size_t i = 0; i < m.samples_ns.size(); ++i)
      out << start << fmt::format(",{},{}\r\n", i, m.samples_ns[i]);
  }
}

void export_jsonl(std::ostream& out, const ExportedRun& exported) {
  for (const StoredMeasurement& stored : exported.measurements) {
    json::Value line{{"ridgeline_json", json_version}, {"run", exported.run.id},
                     {"model", exported.device.model}, {"device_uuid", exported.device.uuid},
                     {"process", stored.process_id},   {"replicate", stored.replicate}};
    line.update(record::to_json(stored.measurement));
    add_pruned(line, stored.measurement);
    line["case_info"] = record::to_json(stored.case_info);
    out << printed_json(line);
  }
}

}  // namespace ridgeline::present
