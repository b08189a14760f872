#include "harness/present/report_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/units.hpp"
#include "harness/present/best_cases.hpp"
#include "harness/present/case_table.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/explain.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/rate.hpp"
#include "harness/present/vouched.hpp"
#include "harness/record/json.hpp"
#include "harness/store/process_workers.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::SourceTable;
using Json = json::Value;
using json::put;
using store::StoredMeasurement;

Json with_text(const record::Metric& metric) {
  Json object = record::to_json(metric);
  const bool counted = metric.unit == "1" && std::isfinite(metric.value);
  object["text"] = counted ? units::counts(metric.value, metric.value).first
                           : units::quantity(metric.value, metric.unit);
  return object;
}

/// The distinct ones of `texts` that are not empty, in order.
std::string each(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (const std::string& text : texts)
    if (!text.empty() && std::ranges::count(found, text) == 0) found.push_back(text);
  return fmt::to_string(fmt::join(found, ", "));
}

/// How a case's number came to be, over its processes that kept samples.
void put_conditions(Json& words, const std::vector<const StoredMeasurement*>& measurements) {
  std::vector<std::string> samples, executions, launches, throttles;
  std::optional<double> spread, clock, power;
  const auto widen = [](std::optional<double>& end, const std::optional<double>& value,
                        const auto& of) {
    if (value) end = of(end.value_or(*value), *value);
  };
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };
  for (const StoredMeasurement* stored : measurements) {
    const record::Measurement& m = stored->measurement;
    if (stored->samples == 0) continue;
    samples.push_back(fmt::to_string(stored->samples));
    executions.push_back(fmt::to_string(m.executions_per_sample));
    launches.push_back(m.launch + (m.launch.empty() || m.cache.empty() ? "" : " ") + m.cache);
    throttles.push_back(m.telemetry.throttle);
    widen(spread, m.relative_spread, most);
    widen(clock, m.telemetry.sm_clock_mhz, least);
    widen(power, m.telemetry.power_w, most);
  }
  put(words, "samples", fmt::to_string(fmt::join(samples, " + ")));
  put(words, "executions", each(executions));
  put(words, "launch", each(launches));
  if (spread) words["spread"] = units::percent(*spread);
  if (clock) words["clock"] = fmt::format("{:.0f} MHz", *clock);
  if (power) words["power"] = fmt::format("{:.0f} W", *power);
  put(words, "throttle", each(throttles));
}

/// The cells of its rows that are not empty.
Json words(const CaseSummary& summary, const std::vector<const StoredMeasurement*>& measurements) {
  Json object = Json::object();
  if (summary.median_ns) object["median"] = units::time(*summary.median_ns);
  if (summary.interval_ns)
    object["interval"] = units::time_range(summary.interval_ns->low, summary.interval_ns->high);
  if (const std::optional<Rate> reached = rate(summary)) object["rate"] = text(*reached);
  if (summary.share_of_roof) object["share"] = units::percent(*summary.share_of_roof);
  if (summary.verification) {
    const auto& [error, tolerance, checked] = *summary.verification;
    object["error"] =
        fmt::format("{} / {}", std::isfinite(error) ? units::plain(error) : "no number",
                    units::plain(tolerance));
    if (checked) object["checked"] = in_words(*checked);
  }
  const auto read = metric(summary.metrics, "dram_read_bytes"),
             written = metric(summary.metrics, "dram_written_bytes");
  if (read && written) object["dram"] = units::bytes(*read + *written);
  if (summary.settled) object["warmup"] = warm_up_in_words(*summary.settled);
  if (summary.median_ns) put_conditions(object, measurements);
  return object;
}

/// What an outcome means for whoever looks at a table.
const char* state(record::Outcome outcome) {
  if (record::is_success(outcome)) return "good";
  if (record::has_samples(outcome)) return "unsteady";
  return is_not_measured(outcome) ? "failed" : "left_out";
}

Json document_of(const CaseSummary& summary,
                 const std::vector<const StoredMeasurement*>& measurements) {
  const record::Case& info = summary.case_info;
  Json object = identity_json(info.id);
  if (is_vendor(info.id)) object["vendor"] = true;
  put(object, "measures_roof", info.roof);
  put(object, "flops", summary.flops);
  put(object, "bytes", summary.bytes);
  object["outcome"] = record::to_string(summary.outcome);
  object["state"] = state(summary.outcome);
  put(object, "reason", summary.reason);
  object["processes"] = summary.medians_ns.size();
  put(object, "median_ns", summary.median_ns);
  if (summary.interval_ns)
    object["interval_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  put(object, "flop_rate", summary.flop_rate);
  put(object, "byte_rate", summary.byte_rate);
  put(object, "roof", summary.roof);
  object["beats_roof"] = summary.beats_roof;
  put_vouched(object, summary);
  if (const std::optional<Rate> reached = rate(summary))
    object["rate"] = {{"value", reached->value}, {"unit", unit(reached->quantity)}};
  object["words"] = words(summary, measurements);
  object["metrics"] = json::list(summary.metrics, with_text);
  return object;
}

/// Where the wall time of all measurements went, with its share.
Json wall_time(const std::vector<StoredMeasurement>& measurements) {
  constexpr std::array<std::pair<const char*, double record::Measurement::*>, 4> parts{
      {{"timed executions", &record::Measurement::timed_ns},
       {"warm-up", &record::Measurement::warmup_ns},
       {"verification", &record::Measurement::verify_ns},
       {"preparation", &record::Measurement::prepare_ns}}};
  const auto sum = [&](double record::Measurement::*part) {
    double ns = 0;
    for (const StoredMeasurement& stored : measurements) ns += stored.measurement.*part;
    return ns;
  };
  Json list = Json::array();
  const double total = sum(&record::Measurement::total_ns);
  for (const auto& [what, part] : parts)
    if (total > 0)
      list.push_back({{"what", what},
                      {"time", units::time(sum(part))},
                      {"share", units::percent(sum(part) / total)}});
  return list;
}

/// Cases that did not end well, by outcome in enum order, then by reason, what most share first.
Json troubles(const std::vector<CaseSummary>& summaries) {
  std::map<record::Outcome, std::map<std::string, std::vector<std::string>>> found;
  for (const CaseSummary& summary : summaries)
    if (!record::is_success(summary.outcome))
      found[summary.outcome][summary.reason].push_back(record::name(summary.case_info.id));
  Json list = Json::array();
  for (const auto& [outcome, reasons] : found) {
    std::vector<std::pair<std::string, std::vector<std::string>>> sorted(reasons.begin(),
                                                                         reasons.end());
    std::ranges::stable_sort(sorted, std::ranges::greater{},
                             [](const auto& group) { return group.second.size(); });
    std::size_t cases = 0;
    Json groups = Json::array();
    for (const auto& [reason, names] : sorted) {
      cases += names.size();
      groups.push_back({{"reason", reason}, {"cases", names}});
    }
    list.push_back({{"state", state(outcome)},
                    {"words", fmt::format("{} {}", cases, record::to_string(outcome))},
                    {"groups", groups}});
  }
  return list;
}

/// What is wrong with the run, in words: first what is bad (the run or a case failed, or a number
/// cannot be right, which only --strict fails), then what casts doubt.
Json wrong(const ReportRun& data, const std::vector<CaseSummary>& summaries) {
  Json list = Json::array();
  const auto add = [&](bool bad, const std::string& words) {
    if (!words.empty()) list.push_back({{"bad", bad}, {"words", words}});
  };
  const auto count = [&](const auto& wanted) {
    std::vector<CaseSummary> some;
    std::ranges::copy_if(summaries, std::back_inserter(some), wanted, &CaseSummary::outcome);
    return some.empty() ? ""
                        : fmt::format("{}, of {}", outcome_counts(some),
                                      units::plural(std::ssize(summaries), "case"));
  };
  add(true, count(is_not_measured));
  add(true, above_roof(summaries));
  if (data.run.status != record::RunStatus::finished) add(true, "the run is " + data.status);
  add(false, count([](record::Outcome outcome) {
        return record::has_samples(outcome) && !record::is_success(outcome);
      }));
  return list;
}

/// What a reader must know before believing a number, beside how the cases ended.
Json warnings(const ReportRun& data, const std::vector<CaseSummary>& summaries) {
  Json list = Json::array();
  if (!data.run.imported.empty())
    list.push_back(
        fmt::format("The results were imported from {}: nobody compared an output with an oracle.",
                    data.run.imported));
  std::map<std::string, std::set<std::string>> codes;
  for (const record::Build& build : data.builds) {
    codes[build.worker].insert(build.code_hash);
    if (build.dirty)
      list.push_back(
          fmt::format("{} was built from a tree with uncommitted changes: commit {} alone does not "
                      "give this code.",
                      build.worker, build.commit.substr(0, 12)));
  }
  if (std::ranges::any_of(codes, [](const auto& one) { return one.second.size() > 1; }))
    list.push_back(
        "A worker was rebuilt during the run: its processes did not all measure the same code.");
  if (data.device.kind != DeviceKind::emulated &&
      std::ranges::none_of(data.roofs, record::is_measured))
    list.push_back(
        "No ceiling was measured in this run, so shares are of the datasheet's roofs, or absent.");
  const auto measured =
      std::ranges::count_if(summaries, [](const auto& one) { return one.median_ns.has_value(); });
  const auto few = std::ranges::count_if(
      summaries, [](const auto& one) { return one.median_ns && !one.interval_ns; });
  if (few > 0)
    list.push_back(fmt::format(
        "{} of {} measured cases have fewer than 3 processes and therefore no interval.", few,
        measured));
  return list;
}

/// Bytes that the case read and wrote in DRAM, as they were counted for this GPU.
std::optional<double> counted_dram_bytes(const ReportRun& data, const std::string& name) {
  const auto found = data.counted.find(name);
  if (found == data.counted.end() || found->second.measurement.outcome != record::Outcome::counted)
    return std::nullopt;
  return analysis::counted_work(found->second.info, found->second.measurement).dram_bytes;
}

/// As report_cases; `summaries` are those of all cases.
Json cases(const ReportRun& data, const std::vector<CaseSummary>& summaries,
           const std::function<bool(const std::string&)>& wanted, SourceTable& sources) {
  std::map<std::string, std::vector<const StoredMeasurement*>> by_name;
  for (const StoredMeasurement& stored : data.measurements)
    by_name[record::name(stored.case_info.id)].push_back(&stored);
  const std::vector<analysis::CaseProcesses> processes = analysis::by_case(data.measurements);
  const std::vector<ExplainedCase> all_explained =
      explain({data.run, data.device, data.roofs, data.measurements, data.counted, data.ladders,
               data.workers},
              wanted);
  Json list = Json::array();
  auto explained = all_explained.begin();
  for (std::size_t i = 0; i < summaries.size(); ++i) {  // all of them in the order of by_case
    const CaseSummary& summary = summaries[i];
    const std::string name = record::name(summary.case_info.id);
    if (!wanted(name)) continue;
    auto& measurements = by_name[name];
    std::ranges::sort(measurements, {}, [](const StoredMeasurement* stored) {
      return std::tuple(stored->replicate, stored->measurement.attempt, stored->id);
    });
    Json object = document_of(summary, measurements);
    if (summary.outcome == record::Outcome::counted)
      analysis::put_sites(object, analysis::counted_case(processes[i]), sources);
    if (const auto moved = counted_dram_bytes(data, name)) object["counted_dram_bytes"] = *moved;
    if (summary.median_ns) object["explanation"] = to_json(*explained, data.device);
    ++explained;
    list.push_back(std::move(object));
  }
  return list;
}

Json document_of(const ReportRun& data) {
  Json object = record::to_json(data.run);
  if (data.run.label.empty()) object.erase("label");
  if (data.run.profile_text.empty()) object.erase("profile_text");
  object["status"] = data.status;
  object["repeat"] = data.repeat;
  object["device"] = record::to_json(data.device);
  object["environment"] = record::to_json(data.environment);
  object["builds"] = json::list(data.builds);
  object["roofs"] = json::list(data.roofs, [](const record::Roof& roof) {
    Json one = record::to_json(roof);
    one["text"] = units::quantity(roof.value, roof.unit);
    return one;
  });
  const std::vector<CaseSummary> summaries =
      analysis::summarise(data.measurements, data.roofs, data.run.unstable);
  object["outcomes"] = outcome_counts(summaries);
  object["wrong"] = wrong(data, summaries);
  object["warnings"] = warnings(data, summaries);
  object["troubles"] = troubles(summaries);
  object["best"] = best_cases(summaries);
  object["wall"] = wall_time(data.measurements);
  SourceTable sources;
  object["cases"] = cases(
      data, summaries, [](const std::string&) { return true; }, sources);
  object["sources"] = sources.to_json();
  if (!data.pairs.matrices.empty()) object["pairs"] = to_json(data.pairs);
  if (!data.beside.empty())
    object["beside"] = json::list(data.beside, [](const BesideWork& one) { return to_json(one); });
  return object;
}

}  // namespace

Json identity_json(const record::CaseId& id) {
  const auto fields = [](const std::vector<record::Field>& fields) {
    Json object = Json::object();
    for (const record::Field& field : fields) object[field.key] = field.value;
    return object;
  };
  return {{"name", record::name(id)},      {"suite", id.suite},
          {"variant", id.variant},         {"dtype", id.dtype},
          {"problem", fields(id.problem)}, {"options", fields(id.options)}};
}

Json report_cases(const ReportRun& run, const std::function<bool(const std::string& name)>& wanted,
                  SourceTable& sources) {
  return cases(run, analysis::summarise(run.measurements, run.roofs, run.run.unstable), wanted,
               sources);
}

ReportRun read_report_run(const store::Store& store, const store::RunSummary& summary,
                          std::string status, std::string repeat) {
  const std::string& id = summary.run.id;
  ReportRun data{store::stored_run(store, summary),
                 std::move(status),
                 std::move(repeat),
                 store::roofs(store, id),
                 store::measurements(store, id, store::Samples::leave_out),
                 {},
                 {},
                 store::process_workers(store, id),
                 {},
                 {}};
  store::read_sites(store, data.measurements);
  return data;
}

json::Value report_document(const std::vector<ReportRun>& runs, const std::string& generated,
                            const std::string& ridgeline) {
  Json document{{"format", "ridgeline-report"},
                {"version", report_format_version},
                {"generated", generated},
                {"ridgeline", ridgeline},
                {"runs", Json::array()}};
  for (const ReportRun& run : runs) document["runs"].push_back(document_of(run));
  return document;
}

}  // namespace ridgeline::present
