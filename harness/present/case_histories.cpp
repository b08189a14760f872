#include "harness/present/case_histories.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/case_times.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/stats/median.hpp"
#include "harness/store/read_in_parts.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

/// The cases of a file that are asked for.
struct FileCases {
  std::vector<record::Case> cases;
  std::unordered_map<std::int64_t, std::optional<std::size_t>> places;  // in `cases`, by id; of all
};

FileCases cases_of(const store::Store& store, const std::vector<std::string>& patterns,
                   std::set<std::string>& names) {
  FileCases found;
  std::map<std::string, std::map<std::int64_t, record::Case>> by_name;
  for (auto& [id, info] : store::stored_cases(store))
    by_name[record::name(info.id)].emplace(id, info);
  for (const auto& [name, ids] : by_name) {
    const bool wanted = any_matches(patterns, name);
    for (const auto& [id, info] : ids)
      found.places.emplace(id, wanted ? std::optional(found.cases.size()) : std::nullopt);
    if (wanted) found.cases.push_back(ids.rbegin()->second);
    names.insert(name);
  }
  return found;
}

/// The bytes that counted measurements of a run moved through global memory, by their ids.
std::unordered_map<std::int64_t, double> moved_bytes(const store::Store& store,
                                                     const HistoryRun& run) {
  std::unordered_map<std::int64_t, double> moved;
  if (run.device.kind != DeviceKind::emulated) return moved;
  store::series_counts(store, run.run.id, [&](const store::SeriesCount& count) {
    if (count.metric.name == "global_moved_bytes") moved.emplace(count.id, count.metric.value);
  });
  return moved;
}

/// Of the processes of one case in one run.
CaseResult result_of(std::vector<store::SeriesTime>& times, std::optional<double> limit,
                     const std::unordered_map<std::int64_t, double>& moved) {
  // One replicate may have several where a case's description changed during the run.
  std::ranges::sort(times, {}, [](const auto& one) { return std::pair(one.replicate, -one.id); });
  const auto again = std::unique(
      times.begin(), times.end(),
      [](const auto& one, const auto& other) { return one.replicate == other.replicate; });
  times.erase(again, times.end());
  std::vector<analysis::ProcessResult> processes;
  for (const store::SeriesTime& time : times) {
    processes.push_back({time.outcome, {}, time.executions});
    if (record::has_samples(time.outcome)) processes.back().median_ns = time.median_ns;
  }
  analysis::CaseTimes over = analysis::case_times(processes, limit);
  CaseResult result;
  result.outcome = over.over.outcome;
  result.reason = over.over.differ.empty() ? times[over.over.worst].reason : over.over.differ;
  result.processes = over.medians_ns.size();
  result.median_ns = over.median_ns;
  result.interval_ns = over.interval_ns;
  for (const std::size_t i : over.over.counting)
    if (times[i].has_samples) result.sampled.push_back(times[i].id);
  if (moved.empty() || record::is_failure(result.outcome)) return result;
  std::vector<double> bytes;
  for (const store::SeriesTime& time : times)
    if (const auto found = moved.find(time.id); found != moved.end())
      bytes.push_back(found->second);
  if (!bytes.empty()) result.moved_bytes = stats::median(bytes);
  return result;
}

using Results = std::vector<std::pair<std::size_t, CaseResult>>;  // with places of their cases

/// Of runs [begin, end), one after the other.
Results read_results(const store::Store& store, const std::vector<HistoryRun>& runs,
                     const FileCases& cases, std::size_t begin, std::size_t end) {
  Results results;
  std::vector<std::vector<store::SeriesTime>> of_case(cases.cases.size());
  for (std::size_t run = begin; run < end; ++run) {
    const std::string& id = runs[run].run.id;
    std::vector<std::size_t> measured;
    store::series_times(store, id, [&](const store::SeriesTime& time) {
      const auto place = cases.places.find(time.case_id);
      if (place == cases.places.end()) store::refuse_case(store, id);
      if (!place->second) return;
      std::vector<store::SeriesTime>& times = of_case[*place->second];
      if (times.empty()) measured.push_back(*place->second);
      times.push_back(time);
    });
    if (measured.empty()) continue;
    const auto moved = moved_bytes(store, runs[run]);
    for (const std::size_t place : measured) {
      results.emplace_back(place, result_of(of_case[place], runs[run].run.unstable, moved));
      results.back().second.run = static_cast<std::uint32_t>(run);
      of_case[place].clear();
    }
  }
  return results;
}

using Key = std::pair<std::string, std::string>;  // model and UUID
using Histories = std::map<Key, DeviceHistory>;

/// Of the devices in one file.
Histories read_file(const std::filesystem::path& file, const store::Store& store,
                    const HistoriesChoice& choice, StoredNames& names) {
  const FileCases cases = cases_of(store, choice.patterns, names.cases);
  const auto measured = store::stored_order(store);  // runs with a process
  Histories histories;
  for (store::StoredRun& run : store::series_runs(store)) {
    names.devices.insert(fmt::format("{} ({})", run.device.id, run.device.model));
    if (!run.run.gate.empty() || !is_asked_for(run.device, choice.device) ||
        !measured.contains(run.run.id))
      continue;
    DeviceHistory& of_device = histories[{run.device.model, run.device.uuid}];
    of_device.runs.push_back({std::move(run), file, 0});
  }
  for (auto& [key, history] : histories) {
    if (history.runs.size() > choice.runs) {
      history.older = history.runs.size() - choice.runs;
      history.runs.erase(history.runs.begin(),
                         history.runs.begin() + static_cast<std::ptrdiff_t>(history.older));
    }
    for (const record::Case& info : cases.cases) history.cases.push_back({info, {}});
    for (Results& part : store::read_in_parts<Results>(
             file, history.runs.size(),
             [&, &runs = history.runs](const store::Store&own, std::size_t begin, std::size_t end) {
               return read_results(own, runs, cases, begin, end);
             }))
      for (auto& [place, result] : part) history.cases[place].results.push_back(std::move(result));
    std::erase_if(history.cases, [](const CaseSeries& one) { return one.results.empty(); });
  }
  return histories;
}

/// Puts the runs of a device that another file holds to `into`.
void add(DeviceHistory& into, DeviceHistory from) {
  std::set<std::string> known;
  for (const HistoryRun& run : into.runs) known.insert(run.run.id);
  std::vector<std::optional<std::uint32_t>> places;
  for (HistoryRun& run : from.runs) {
    const bool is_new = known.insert(run.run.id).second;
    places.push_back(is_new ? std::optional(static_cast<std::uint32_t>(into.runs.size()))
                            : std::nullopt);
    if (is_new) into.runs.push_back(std::move(run));
  }
  for (CaseSeries& series : from.cases) {
    auto found = std::ranges::find(into.cases, series.info.id,
                                   [](const CaseSeries& one) { return one.info.id; });
    if (found == into.cases.end()) found = into.cases.insert(found, {series.info, {}});
    for (CaseResult& result : series.results) {
      if (!places[result.run]) continue;
      result.run = *places[result.run];
      found->results.push_back(std::move(result));
    }
  }
  into.older = std::max(into.older, from.older);
}

/// Brings runs and results into their order, and leaves out the runs that have nothing, and those
/// before the newest so many.
void arrange(DeviceHistory& history, std::size_t most_runs) {
  std::vector<bool> used(history.runs.size());
  for (const CaseSeries& series : history.cases)
    for (const CaseResult& result : series.results) used[result.run] = true;
  std::vector<std::uint32_t> order;
  for (std::uint32_t run = 0; run < used.size(); ++run)
    if (used[run]) order.push_back(run);
  std::ranges::sort(order, {}, [&](std::uint32_t run) {
    const record::Run& of = history.runs[run].run;
    return std::tie(of.started, of.id);
  });
  if (order.size() > most_runs) {
    history.older += order.size() - most_runs;
    order.erase(order.begin(), order.end() - static_cast<std::ptrdiff_t>(most_runs));
  }
  std::vector<HistoryRun> runs;
  std::vector<std::optional<std::uint32_t>> places(history.runs.size());
  for (const std::uint32_t run : order) {
    places[run] = static_cast<std::uint32_t>(runs.size());
    runs.push_back(std::move(history.runs[run]));
    runs.back().environment_place =
        environment_place(history.environments, runs.back().environment);
  }
  history.runs = std::move(runs);
  for (CaseSeries& series : history.cases) {
    std::erase_if(series.results, [&](const CaseResult& one) { return !places[one.run]; });
    for (CaseResult& result : series.results) result.run = *places[result.run];
    if (!std::ranges::is_sorted(series.results, {}, &CaseResult::run))
      std::ranges::sort(series.results, {}, &CaseResult::run);
  }
  std::erase_if(history.cases, [](const CaseSeries& one) { return one.results.empty(); });
  std::ranges::sort(history.cases, [](const CaseSeries& a, const CaseSeries& b) {
    return analysis::is_before(a.info.id, b.info.id);
  });
  if (!history.runs.empty()) history.device = history.runs.back().device;
}

}  // namespace

std::vector<DeviceHistory> device_histories(const std::filesystem::path& results,
                                            const HistoriesChoice& choice, StoredNames& names,
                                            const store::LeftOut& left_out) {
  Histories histories;
  store::read_each(store::results_files(results), left_out,
                   [&](const std::filesystem::path& file, const store::Store& store) {
                     for (auto& [key, history] : read_file(file, store, choice, names))
                       add(histories[key], std::move(history));
                   });
  std::vector<DeviceHistory> found;
  for (auto& [key, history] : histories) {
    arrange(history, choice.runs);
    if (!history.cases.empty()) found.push_back(std::move(history));
  }
  return found;
}

std::size_t environment_place(std::vector<record::Environment>& environments,
                              const record::Environment& environment) {
  const auto found = std::ranges::find(environments, environment.hash, &record::Environment::hash);
  const auto place = static_cast<std::size_t>(found - environments.begin());
  if (found == environments.end()) environments.push_back(environment);
  return place;
}

std::string environment_change(const record::Environment& before,
                               const record::Environment& after) {
  std::vector<std::string> words;
  const auto value = [](const record::Facts& facts, const std::string& key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string("absent") : printable(found->second);
  };
  record::Facts all = before.comparable;
  all.insert(after.comparable.begin(), after.comparable.end());
  for (const auto& [key, ignored] : all)
    if (value(before.comparable, key) != value(after.comparable, key))
      words.push_back(fmt::format("{} {} -> {}", printable(key), value(before.comparable, key),
                                  value(after.comparable, key)));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace ridgeline::present
