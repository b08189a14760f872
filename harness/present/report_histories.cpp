#include "harness/present/report_histories.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "harness/analysis/main_build.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/commit_address.hpp"
#include "harness/present/case_histories.hpp"
#include "harness/present/case_samples.hpp"
#include "harness/present/readable.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/rounded.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/stretches.hpp"
#include "harness/process/home.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {
namespace {

using Json = json::Value;

constexpr std::size_t most_reason_bytes = 300;

/// What a document has beside histories.
struct AroundHistories {
  const std::set<std::string>& shown;  // ids of the runs that it has
  std::set<std::string> linked;        // commits of this repository
};

/// How far an end of an interval is beyond its median, below 0 where the median is not in it: most
/// digits of the end are the median's, and need not be told again. Towards 0 no farther than the
/// median itself, which rounding might make it.
Json distance(double ns, const Json& median, bool towards_0) {
  if (ns == 0) return 0;
  Json away = rounded(std::abs(ns), 3);
  if (towards_0 && away.number() > median.number()) away = median;
  if (ns > 0) return away;
  return away.is_integer() ? Json(-away.integer()) : Json(-away.number());
}

/// A run, and how a case ended in it.
Json ending(const CaseResult* result) {
  Json one{{"run", result->run}, {"outcome", record::to_string(result->outcome)}};
  json::put(one, "reason", printable(result->reason, most_reason_bytes));
  return one;
}

/// The newest of those that a document has of a case.
Json last_endings(std::vector<const CaseResult*> results) {
  if (results.size() > most_endings) results.erase(results.begin(), results.end() - most_endings);
  return json::list(results, ending);
}

Json environments_json(const std::vector<record::Environment>& environments) {
  Json list = Json::array();
  for (std::size_t i = 0; i < environments.size(); ++i) {
    Json one{{"hash", environments[i].hash}, {"comparable", Json(environments[i].comparable)}};
    if (i > 0) json::put(one, "changed", environment_change(environments[i - 1], environments[i]));
    list.push_back(std::move(one));
  }
  return list;
}

std::string commit_of(const HistoryRun& run) {
  const record::Build* build = analysis::main_build(run.builds);
  return build == nullptr || build->commit == "unknown" ? std::string() : build->commit;
}

Json history_run_json(const HistoryRun& run, const AroundHistories& around, const RunReader& runs) {
  const store::FoundRun* found = runs.find(run.run.id);
  const std::string commit = commit_of(run);
  Json object{{"id", run.run.id}, {"started", run.run.started}};
  if (!commit.empty()) {
    object["commit"] = commit;
    object["dirty"] = analysis::main_build(run.builds)->dirty;
    if (around.linked.contains(commit)) object["linked"] = true;
  }
  json::put(object, "label", run.run.label);
  object["profile"] = run.run.profile;
  object["environment"] = run.environment_place;
  object["status"] = found != nullptr ? status(*found, runs.all())
                                      : std::string(record::to_string(run.run.status));
  json::put(object, "unfit", run.run.unfit);
  return object;
}

Json samples_json(const CaseSamples& samples) {
  Json list = Json::array();
  for (std::size_t i = 0; i < samples.runs.size(); ++i) {
    const stats::BinnedSamples& group = samples.bins.groups[i];
    // From the first bin with a sample to the last.
    const auto filled = [](std::uint32_t n) { return n > 0; };
    const auto first = std::ranges::find_if(group.counts, filled);
    auto last = group.counts.end();
    while (last != first && !filled(*(last - 1))) --last;
    list.push_back({{"run", samples.runs[i]},
                    {"count", group.count},
                    {"below", group.below},
                    {"above", group.above},
                    {"first", first == last ? 0 : first - group.counts.begin()},
                    {"counts", json::list(first == last ? std::span(group.counts).first(1)
                                                        : std::span(first, last),
                                          [](std::uint32_t n) { return Json(n); })},
                    {"p10_ns", rounded(group.p10)},
                    {"p50_ns", rounded(group.p50)},
                    {"p90_ns", rounded(group.p90)}});
  }
  return {{"low_ns", rounded(samples.bins.low)},
          {"high_ns", rounded(samples.bins.high)},
          {"runs", std::move(list)}};
}

/// Puts a case's times by run, and which runs gave none or none to trust.
void put_results(Json& object, const CaseSeries& series) {
  Json medians = Json::array(), below = Json::array(), above = Json::array(), alone = Json::array(),
       unsteady = Json::array();
  Stretches runs;
  std::vector<const CaseResult*> without, doubted;
  for (const CaseResult& result : series.results) {
    const bool doubtful =
        record::has_samples(result.outcome) && !record::is_success(result.outcome);
    if (doubtful) unsteady.push_back(result.run);
    if (!result.median_ns) {
      if (!record::is_success(result.outcome)) without.push_back(&result);
      continue;
    }
    if (doubtful) doubted.push_back(&result);
    const double median = *result.median_ns;
    const stats::Interval interval = result.interval_ns.value_or(stats::Interval{median, median});
    const double down = median - interval.low, up = interval.high - median;
    runs.add(result.run);
    const Json& written = medians.push_back(rounded(median));
    below.push_back(distance(down, written, down > 0));
    above.push_back(distance(up, written, up < 0));
    if (!result.interval_ns) alone.push_back(result.run);
  }
  object["runs"] = runs.to_json();
  object["median_ns"] = std::move(medians);
  object["below_ns"] = std::move(below);
  object["above_ns"] = std::move(above);
  object["without_interval"] = std::move(alone);
  object["without"] = last_endings(without);
  object["unsteady"] = std::move(unsteady);
  object["doubted"] = last_endings(doubted);
}

/// The last results of cases whose last runs are not shown, by name. `sources` takes up those that
/// their sites lie in.
std::map<std::string, Json> older_results(const DeviceHistory& history,
                                          const AroundHistories& around, RunReader& runs,
                                          analysis::SourceTable& sources) {
  std::map<std::string, std::set<std::string>> names;  // by run
  for (const CaseSeries& series : history.cases)
    names[history.runs[series.results.back().run].run.id].insert(record::name(series.info.id));
  std::map<std::string, Json> results;
  for (const auto& [id, of_run] : names) {
    const store::FoundRun* found = runs.find(id);
    if (around.shown.contains(id) || found == nullptr) continue;
    const auto wanted = [&of_run = of_run](const std::string& name) {
      return of_run.contains(name);
    };
    const Json cases = report_cases(runs.read(*found), wanted, sources);
    for (const Json& object : cases.elements()) results.emplace(object.at("name").text(), object);
  }
  return results;
}

/// The commits that the runs were built from.
std::set<std::string> commits_of(const std::vector<DeviceHistory>& histories) {
  std::set<std::string> commits;
  for (const DeviceHistory& history : histories)
    for (const HistoryRun& run : history.runs) commits.insert(commit_of(run));
  commits.erase("");
  return commits;
}

Json history_json(const DeviceHistory& history, const AroundHistories& around, RunReader& runs) {
  const std::vector<CaseSamples> samples = case_samples(history);
  analysis::SourceTable sources;
  const std::map<std::string, Json> older = older_results(history, around, runs, sources);
  Json cases = Json::array();
  for (std::size_t i = 0; i < history.cases.size(); ++i) {
    const CaseSeries& series = history.cases[i];
    const HistoryRun& last = history.runs[series.results.back().run];
    Json object = identity_json(series.info.id);
    put_results(object, series);
    const std::string name = record::name(series.info.id);
    json::put(object, "repeat", repeating_line(last.run, last.device.id, {name}));
    if (!samples[i].runs.empty()) object["samples"] = samples_json(samples[i]);
    object["latest"] = {{"run", series.results.back().run}};
    if (const auto found = older.find(name); found != older.end())
      object["latest"]["case"] = found->second;
    cases.push_back(std::move(object));
  }
  return {{"device", record::to_json(history.device)},
          {"environments", environments_json(history.environments)},
          {"runs",
           json::list(history.runs,
                      [&](const HistoryRun& run) { return history_run_json(run, around, runs); })},
          {"older", history.older},
          {"cases", std::move(cases)},
          {"sources", sources.to_json()}};
}

}  // namespace

ReportHistories report_histories(const std::filesystem::path& results, const std::string& device,
                                 const std::set<std::string>& shown, RunReader& runs,
                                 const store::LeftOut& left_out) {
  ReportHistories found;
  std::vector<DeviceHistory> histories;
  unless_unreadable(left_out, [&] {
    StoredNames names;
    histories = device_histories(
        results, {.patterns = {}, .device = device, .runs = most_history_runs}, names, left_out);
  });
  const std::filesystem::path home = process::home();
  const std::string address = gate::commit_address_of(home);
  AroundHistories around{shown, {}};
  if (!address.empty()) around.linked = gate::commits_known(home, commits_of(histories));
  // A commit of another repository would lead nowhere.
  if (!around.linked.empty()) found.commits = address;
  for (const DeviceHistory& one : histories)
    unless_unreadable(left_out, [&] { found.devices.push_back(history_json(one, around, runs)); });
  return found;
}

}  // namespace ridgeline::present
