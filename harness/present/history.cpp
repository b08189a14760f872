#include "harness/present/history.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

/// The names of the chosen cases that a run has measured.
std::set<std::string> measured_names(const store::Store& store, const std::string& run,
                                     const std::unordered_map<std::int64_t, std::string>& chosen) {
  std::set<std::string> names;
  store::series_times(store, run, [&](const store::SeriesTime& time) {
    if (const auto found = chosen.find(time.case_id); found != chosen.end())
      names.insert(found->second);
  });
  return names;
}

std::size_t place_of(std::vector<record::Environment>& environments,
                     const record::Environment& environment) {
  const auto found = std::ranges::find(environments, environment.hash, &record::Environment::hash);
  const auto place = static_cast<std::size_t>(found - environments.begin());
  if (found == environments.end()) environments.push_back(environment);
  return place;
}

/// Adds the runs of a file, newest first, to the histories of their devices.
void add_runs(const store::Store& store, const HistoryChoice& choice,
              const std::unordered_map<std::int64_t, std::string>& chosen,
              std::map<std::pair<std::string, std::string>, CaseHistory>& histories,
              std::set<std::string>& devices) {
  std::vector<store::StoredRun> runs = store::series_runs(store);
  std::ranges::reverse(runs);
  std::map<std::pair<std::string, std::string>, std::vector<store::StoredRun*>> kept;
  for (store::StoredRun& run : runs) {
    devices.insert(fmt::format("{} ({})", run.device.id, run.device.model));
    if (!run.run.gate.empty() || !is_asked_for(run.device, choice.device)) continue;
    const std::set<std::string> names = measured_names(store, run.run.id, chosen);
    std::vector<store::StoredMeasurement> measurements;
    for (const std::string& name : names) {
      CaseHistory& history = histories[{run.device.model + ' ' + run.device.uuid, name}];
      if (history.rows.size() >= choice.limit) {
        ++history.older;
        continue;
      }
      if (history.rows.empty()) {
        history.name = name;
        history.device = run.device;
      }
      if (measurements.empty())
        measurements = store::measurements(store, run.run.id, store::Samples::leave_out);
      std::vector<store::StoredMeasurement> own;
      std::ranges::copy_if(measurements, std::back_inserter(own),
                           [&](const auto& one) { return one.measurement.case_name == name; });
      std::vector<analysis::CaseSummary> summaries =
          analysis::summarise(own, store::roofs(store, run.run.id), run.run.unstable);
      if (summaries.empty()) continue;
      history.rows.push_back({run.run, 0, std::move(summaries.front())});
      kept[{run.device.model + ' ' + run.device.uuid, name}].push_back(&run);
    }
  }
  for (auto& [key, of] : kept) {
    CaseHistory& history = histories[key];
    std::ranges::reverse(history.rows);
    std::ranges::reverse(of);
    for (std::size_t i = 0; i < of.size(); ++i)
      history.rows[i].environment = place_of(history.environments, of[i]->environment);
  }
}

}  // namespace

std::vector<CaseHistory> find_history(const std::filesystem::path& results,
                                      const HistoryChoice& choice, const store::LeftOut& left_out) {
  std::map<std::pair<std::string, std::string>, CaseHistory> histories;
  std::set<std::string> devices, names;
  store::read_each(store::results_files(results), left_out,
                   [&](const std::filesystem::path&, const store::Store& store) {
                     std::unordered_map<std::int64_t, std::string> chosen;
                     for (auto& [id, name] : store::case_names(store)) {
                       names.insert(name);
                       if (any_matches(choice.patterns, name)) chosen.emplace(id, name);
                     }
                     add_runs(store, choice, chosen, histories, devices);
                   });
  check_picks(choice.patterns, {names.begin(), names.end()}, "what is stored",
              "ridgeline show lists the cases of the latest run");
  std::vector<CaseHistory> found;
  for (auto& [key, history] : histories)
    if (!history.rows.empty()) found.push_back(std::move(history));
  if (found.empty())
    throw Error(ErrorKind::usage,
                choice.device.empty() ? "no run has measured it, but those of gates"
                                      : fmt::format("no run of a device '{}' has measured it",
                                                    printable(choice.device)),
                fmt::format("runs are stored of: {}",
                            printable(fmt::format("{}", fmt::join(devices, ", ")), 1000)));
  return found;
}

}  // namespace ridgeline::present
