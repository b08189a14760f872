#include "harness/present/export_formats.hpp"

#include <algorithm>
#include <map>
#include <optional>

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

/// The rates that follow from a case's work, beside it: reading a rate back would round it.
void put_work(json::Value& entry, const record::Measurement& m, double ns) {
  if (m.flops) entry["flops"] = *m.flops;
  if (m.bytes) entry["bytes"] = *m.bytes;
  if (m.flops) entry["flop_rate"] = *m.flops / ns * 1e9;
  if (m.bytes) entry["byte_rate"] = *m.bytes / ns * 1e9;
}

json::Value google_entry(const StoredMeasurement& stored, std::size_t repetitions,
                         std::size_t repetition) {
  const record::Measurement& m = stored.measurement;
  json::Value entry{{"name", m.case_name},
                    {"run_name", m.case_name},
                    {"run_type", "iteration"},
                    {"repetitions", repetitions},
                    {"repetition_index", repetition},
                    {"replicate", stored.replicate},
                    {"threads", 1},
                    {"iterations", m.sample_count() * m.executions_per_sample},
                    {"real_time", *m.median_ns},
                    {"cpu_time", *m.median_ns},
                    {"time_unit", "ns"},
                    {"samples", m.sample_count()}};
  put_work(entry, m, *m.median_ns);
  if (m.outcome != record::Outcome::ok)
    entry["label"] = fmt::format("{}: {}", to_string(m.outcome), m.reason);
  for (const record::Metric& metric : m.metrics)
    if (entry.find(metric.name) == nullptr) entry[metric.name] = metric.value;
  return entry;
}

/// What was imported goes out as it came in: one entry a sample. A quantity that had a value of its
/// own for each is stored as x.0, x.1, ... beside x.
json::Value imported_entry(const StoredMeasurement& stored, std::size_t sample,
                           std::size_t repetitions, std::size_t repetition) {
  const record::Measurement& m = stored.measurement;
  const std::string number = fmt::format(".{}", sample);
  std::map<std::string, double> quantities;
  for (const record::Metric& metric : m.metrics) quantities.emplace(metric.name, metric.value);
  // Whether `key` is of one sample, which is none of its own name.
  const auto is_of_one = [](const auto& all, const std::string& key) {
    const std::size_t dot = key.rfind('.');
    return dot != std::string::npos && dot + 1 < key.size() &&
           key.find_first_not_of("0123456789", dot + 1) == std::string::npos &&
           all.contains(key.substr(0, dot));
  };
  const auto of_sample = [&](const auto& all, const std::string& key) {
    const auto own = all.find(key + number);
    return own != all.end() ? own->second : all.at(key);
  };
  const double ns = m.samples_ns.empty() ? *m.median_ns : m.samples_ns[sample];
  json::Value entry{{"name", m.case_name},
                    {"run_name", m.case_name},
                    {"run_type", "iteration"},
                    {"repetitions", repetitions},
                    {"repetition_index", repetition},
                    {"replicate", stored.replicate},
                    {"threads", 1},
                    {"iterations", m.executions_per_sample},
                    {"real_time", ns},
                    {"cpu_time", ns},
                    {"time_unit", "ns"}};
  put_work(entry, m, ns);
  for (const auto& [key, value] : quantities)
    if (!is_of_one(quantities, key)) entry[key] = of_sample(quantities, key);
  const auto said_number = [&](const std::string& key) -> std::optional<std::int64_t> {
    const auto found = m.said.find(key);
    if (found == m.said.end()) return std::nullopt;
    const std::optional<json::Value> value = json::try_parse(found->second);
    return value && value->is_integer() ? std::optional(value->integer()) : std::nullopt;
  };
  for (const auto& [key, value] : m.said) {
    if (is_of_one(m.said, key) || key.starts_with("executions.") || key == "threads") continue;
    const std::string& text = of_sample(m.said, key);
    const std::string name = key == "name" ? "original_name" : key;
    if (entry.find(name) == nullptr) entry[name] = text;
  }
  if (const auto threads = said_number("threads")) entry["threads"] = *threads;
  if (const auto own = said_number("executions" + number)) entry["iterations"] = *own;
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
    const bool imported = !exported.run.imported.empty();
    std::size_t repetitions = 0, repetition = 0;
    for (const StoredMeasurement* stored : processes)
      if (measured(stored))
        repetitions +=
            imported ? std::max<std::size_t>(1, stored->measurement.samples_ns.size()) : 1;
    for (const StoredMeasurement* stored : processes) {
      const record::Measurement& m = stored->measurement;
      if (measured(stored) && imported)
        for (std::size_t i = 0; i < std::max<std::size_t>(1, m.samples_ns.size()); ++i)
          document["benchmarks"].push_back(imported_entry(*stored, i, repetitions, repetition++));
      else if (measured(stored))
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
