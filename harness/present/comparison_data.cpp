#include <fmt/format.h>

#include "harness/present/comparison.hpp"
#include "harness/present/csv_cell.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/siblings.hpp"

namespace ridgeline::present {
namespace {

using analysis::ComparedCase;
using analysis::SideOfCase;
using json::put;

void put_range(json::Value& object, const std::optional<stats::Interval>& interval) {
  if (!interval) return;
  object["ratio_low"] = interval->low;
  object["ratio_high"] = interval->high;
}

/// A row's cells under these keys, those that are empty left out, as those without a key are.
json::Value words(const Cells& row, const std::vector<const char*>& keys) {
  json::Value object = json::Value::object();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (*keys[i]) put(object, keys[i], row[i]);
  return object;
}

json::Value row_json(const SideOfCase& side) {
  json::Value object{{"outcome", record::to_string(side.outcome)},
                     {"processes", side.medians_ns.size()}};
  if (!side.reason.empty()) object["reason"] = side.reason;
  put(object, "median_ns", side.median_ns);
  if (side.disturbed) object["disturbed"] = true;
  if (is_unsteady(side)) object["unsteady"] = true;
  put(object, "flops", side.flops);
  put(object, "bytes", side.bytes);
  put(object, "share_of_roof", side.share_of_roof);
  if (!side.roof.empty()) object["roof"] = side.roof;
  put(object, "sm_clock_mhz", side.sm_clock_mhz);
  return object;
}

json::Value row_json(const ComparedCase& one) {
  json::Value object{{"case", record::name(one.id)},
                     {"suite", one.id.suite},
                     {"variant", one.id.variant},
                     {"dtype", one.id.dtype},
                     {"measures_roof", one.measures_roof},
                     {"a", row_json(one.a)},
                     {"b", row_json(one.b)}};
  if (!one.not_compared.empty()) object["not_compared"] = one.not_compared;
  put(object, "ratio", one.ratio);
  put_range(object, one.interval);
  if (one.work != 1) object["work"] = one.work;
  put(object, "roofs_ratio", one.roofs_ratio);
  if (one.roofs_ratio) object["roofs"] = one.measured_roofs ? "measured" : "datasheet";
  put(object, "rest", one.rest());
  if (one.cause) object["cause"] = analysis::to_string(*one.cause);
  if (!one.because.empty()) object["because"] = one.because;
  object["words"] = words(row_of(one), {"", "a", "b", "ratio", "interval", "roofs_alone", "rest",
                                        "a_of_roof", "b_of_roof", "the_rest_is"});
  if (one.work != 1) object["words"]["work"] = short_ratio(one.work);
  return object;
}

json::Value row_json(const analysis::ComparedSuite& suite) {
  json::Value object{{"suite", suite.suite}, {"cases", suite.cases}, {"ratio", suite.mean}};
  put_range(object, suite.interval);
  object["a_processes"] = suite.a_processes;
  object["b_processes"] = suite.b_processes;
  object["lowest"] = suite.lowest;
  object["highest"] = suite.highest;
  if (suite.unstable > 0) object["unstable"] = suite.unstable;
  if (suite.disturbed > 0) object["disturbed"] = suite.disturbed;
  put(object, "roofs_ratio", suite.roofs_ratio);
  if (suite.roofs_ratio) object["roofs_cases"] = suite.roofs_cases;
  object["words"] = words(row_of(suite),
                          {"", "", "mean", "interval", "processes", "lowest", "highest", "doubts"});
  if (suite.roofs_ratio) object["words"]["roofs_alone"] = short_ratio(*suite.roofs_ratio);
  return object;
}

json::Value row_json(const analysis::ComparedCounts& one) {
  json::Value object{{"case", one.name}};
  if (!one.not_compared.empty()) {
    object["not_compared"] = one.not_compared;
    return object;
  }
  object["equal_counts"] = one.equal;
  if (one.other_inputs) object["other_inputs"] = true;
  object["changed"] = json::Value::array();
  for (const analysis::MetricChange& change : one.changed) {
    json::Value metric{{"metric", change.name}, {"unit", change.unit}};
    put(metric, "a", change.baseline);
    put(metric, "b", change.candidate);
    put(metric, "ratio", analysis::ratio(change));
    metric["words"] = words(row_of(change), {"", "a", "b", "ratio"});
    object["changed"].push_back(metric);
  }
  return object;
}

json::Value gpu_json(const ComparedGpu& gpu) {
  json::Value object{{"id", gpu.id}, {"uuid", gpu.uuid}, {"a", gpu.a_run}, {"b", gpu.b_run}};
  if (!gpu.all) return object;
  object["cases"] = gpu.all->cases;
  object["ratio"] = gpu.all->mean;
  put_range(object, gpu.all->interval);
  object["lowest"] = gpu.all->lowest;
  object["highest"] = gpu.all->highest;
  return object;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& each : cells) {
    if (!line.empty()) line += ',';
    line += csv_cell(each);
  }
  line += "\r\n";
  return line;
}

std::vector<std::string> cells(const SideOfCase& side) {
  return {std::string(record::to_string(side.outcome)), fmt::to_string(side.medians_ns.size()),
          csv_number(side.median_ns), csv_number(side.share_of_roof), side.roof};
}

std::string csv_of_times(const ComparedRuns& compared) {
  std::string text = row({"a_model", "a_run",     "b_model",     "b_run",       "case",
                          "suite",   "a_outcome", "a_processes", "a_median_ns", "a_share_of_roof",
                          "a_roof",  "b_outcome", "b_processes", "b_median_ns", "b_share_of_roof",
                          "b_roof",  "ratio",     "ratio_low",   "ratio_high",  "roofs_ratio",
                          "rest",    "cause",     "because",     "not_compared"});
  const store::RunSummary &a = compared.a.summary, &b = compared.b.summary;
  const std::vector<std::string> start{a.device.model, a.run.id, b.device.model, b.run.id};
  const auto add = [&](const std::vector<std::vector<std::string>>& groups) {
    std::vector<std::string> all = start;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    text += row(all);
  };
  for (const ComparedCase& one : compared.comparison.cases) {
    const auto low = one.interval ? std::optional(one.interval->low) : std::nullopt,
               high = one.interval ? std::optional(one.interval->high) : std::nullopt;
    add({{record::name(one.id), one.id.suite},
         cells(one.a),
         cells(one.b),
         {csv_number(one.ratio), csv_number(low), csv_number(high), csv_number(one.roofs_ratio),
          csv_number(one.rest()), one.cause ? std::string(analysis::to_string(*one.cause)) : "",
          one.because, one.not_compared}});
  }
  for (const analysis::OneSided& one : compared.comparison.one_sided)
    add({{one.name, one.name.substr(0, one.name.find('/'))},
         std::vector<std::string>(17),
         {fmt::format("in {}'s run alone{}{}", one.of_a ? "A" : "B", one.why.empty() ? "" : ": ",
                      one.why)}});
  return text;
}

std::string csv_of_counts(const ComparedRuns& compared) {
  std::string text = row({"a_model", "a_run", "b_model", "b_run", "case", "metric", "unit", "a",
                          "b", "ratio", "not_compared"});
  const store::RunSummary &a = compared.a.summary, &b = compared.b.summary;
  const auto add = [&](const std::string& name, const std::vector<std::string>& rest) {
    std::vector<std::string> all{a.device.model, a.run.id, b.device.model, b.run.id, name};
    all.insert(all.end(), rest.begin(), rest.end());
    text += row(all);
  };
  for (const analysis::ComparedCounts& one : compared.counted) {
    if (!one.not_compared.empty()) add(one.name, {"", "", "", "", "", one.not_compared});
    for (const analysis::MetricChange& change : one.changed)
      add(one.name, {change.name, change.unit, csv_number(change.baseline),
                     csv_number(change.candidate), csv_number(analysis::ratio(change)), ""});
  }
  return text;
}

}  // namespace

std::string comparison_csv(const ComparedRuns& compared) {
  return compared.counts ? csv_of_counts(compared) : csv_of_times(compared);
}

json::Value comparison_json(const ComparedRuns& compared) {
  const analysis::Comparison& comparison = compared.comparison;
  json::Value all{{"gives", compared.counts ? "counts" : "times"},
                  {"a", to_json(compared.a)},
                  {"b", to_json(compared.b)},
                  {"differences", comparison.differences},
                  {"compared", compared_cases(compared)},
                  {"conclusions", conclusions(compared)}};
  const auto add = [&](const char* key, const auto& list) {
    all[key] = json::Value::array();
    for (const auto& one : list) all[key].push_back(row_json(one));
  };
  if (compared.counts) {
    add("counted", compared.counted);
  } else {
    all["roofs"] = json::Value::array();
    for (const analysis::ComparedRoof& roof : comparison.roofs) {
      json::Value object{{"roof", roof.kind}, {"source", roof.source}, {"unit", roof.unit}};
      put(object, "a", roof.a);
      put(object, "b", roof.b);
      object["words"] = words(row_of(roof), {"", "", "a", "b", "ratio"});
      all["roofs"].push_back(object);
    }
    add("cases", comparison.cases);
    add("suites", comparison.suites);
  }
  if (compared.together > 0)
    all["siblings"] = {{"host", compared.host},
                       {"together", compared.together},
                       {"suites", json::list(comparison.siblings,
                                             [](const auto& suite) { return to_json(suite); })}};
  if (!compared.gpus.empty()) all["gpus"] = json::list(compared.gpus, gpu_json);
  all["one_sided"] = json::Value::array();
  for (const analysis::OneSided& one : comparison.one_sided) {
    json::Value& object =
        all["one_sided"].push_back({{"case", one.name}, {"in", one.of_a ? "a" : "b"}});
    put(object, "why", one.why);
  }
  return all;
}

json::Value report_json(const ComparedRuns& compared, const std::vector<store::FoundRun>& all) {
  json::Value object = comparison_json(compared);
  for (const auto& [side, run] : {std::pair("a", &compared.a), std::pair("b", &compared.b)}) {
    object[side].erase("file");
    object[side]["status"] = status(*run, all);
  }
  return object;
}

}  // namespace ridgeline::present
