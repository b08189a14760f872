#include "harness/cli/report_choice.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/run/timestamp.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// So many nights make a trend: from then on a case can have stopped.
constexpr std::size_t fewest_nights = analysis::stopped_nights;

bool is_finished(const store::FoundRun& found) {
  return found.summary.run.status == record::RunStatus::finished;
}
bool is_finished(const store::FoundGate& found) {
  return found.summary.gate.status == record::RunStatus::finished;
}

/// The newest of `all`, which are sorted so, that is finished, for each device model; where none
/// is, the newest one. The page says which.
template <class Found>
std::vector<Found> newest_of_each_model(const std::vector<Found>& all) {
  std::map<std::string, Found> newest;
  for (const Found& found : all) {
    const auto [place, added] = newest.try_emplace(found.summary.device.model, found);
    if (!added && !is_finished(place->second) && is_finished(found)) place->second = found;
  }
  std::vector<Found> chosen;
  for (auto& [model, found] : newest) chosen.push_back(std::move(found));
  return chosen;
}

/// Of runs that hold something and were not measured for a gate.
std::vector<store::FoundRun> newest_runs(const fs::path& results, const store::LeftOut& left_out) {
  std::vector<store::FoundRun> runs = store::all_runs(results, left_out);
  std::erase_if(runs, [](const store::FoundRun& found) {
    return found.summary.measurements == 0 || !found.summary.run.gate.empty();
  });
  return newest_of_each_model(runs);
}

/// Of gates that say something.
std::vector<store::FoundGate> newest_gates(const fs::path& results,
                                           const store::LeftOut& left_out) {
  std::vector<store::FoundGate> gates = store::all_gates(results, left_out);
  std::erase_if(gates,
                [](const store::FoundGate& found) { return found.summary.verdicts.empty(); });
  return newest_of_each_model(gates);
}

/// The runs that are compared without being asked for: of the only two models with times of one
/// kind of device. A CPU beside a GPU says little.
std::optional<std::pair<store::FoundRun, store::FoundRun>> two_models(
    const std::vector<store::FoundRun>& runs) {
  std::map<DeviceKind, std::vector<const store::FoundRun*>> by_kind;
  for (const store::FoundRun& one : runs)
    if (!analysis::gives_counts(one.summary.device.kind))
      by_kind[one.summary.device.kind].push_back(&one);
  std::optional<std::pair<store::FoundRun, store::FoundRun>> two;
  for (const auto& [kind, of] : by_kind)
    if (of.size() == 2 && (!two || kind == DeviceKind::cuda)) two.emplace(*of[0], *of[1]);
  return two;
}

/// Of all devices with enough nights; where a run was asked for, of its device and profile.
std::vector<analysis::DeviceTrend> choose_trends(const fs::path& results, const Chosen& chosen,
                                                 const ReportOptions& options,
                                                 const store::LeftOut& left_out) {
  if (chosen.runs.empty() || options.nights == 0) return {};
  const std::string now = run::timestamp();
  analysis::SeriesChoice choice;
  choice.now = parse_point_in_time(now);
  choice.device = asked_device(chosen, options);
  if (!options.selector.empty()) choice.profile = chosen.runs.front().summary.run.profile;
  std::vector<analysis::DeviceTrend> trends;
  try {
    for (analysis::NightlyDevice& device : analysis::nightly_series(results, choice, left_out))
      if (device.nights.size() >= fewest_nights) {
        const analysis::Remembered remembered =
            analysis::remembered(store::Store::open(device.file), device, "");
        trends.push_back(analysis::trend_of(std::move(device), chosen.trend_rules));
        analysis::stand(trends.back(), remembered, chosen.trend_rules, now);
      }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    left_out(error);  // the runs themselves can be read
  }
  return trends;
}

std::vector<present::ComparedRuns> choose_comparisons(const fs::path& results, const Chosen& chosen,
                                                      const ReportOptions& options,
                                                      const store::LeftOut& left_out) {
  if (!options.compared.empty())
    return {present::compare_runs(
        present::find_sides(results, options.compared[0], options.compared[1], left_out), {})};
  const auto two = two_models(chosen.runs);
  if (!two) return {};
  present::ComparedRuns compared = present::compare_runs({two->first, two->second, {}}, {});
  if (present::compared_cases(compared) == 0) return {};  // nobody has asked for it
  return {std::move(compared)};
}

}  // namespace

std::string asked_device(const Chosen& chosen, const ReportOptions& options) {
  if (options.selector.empty()) return {};
  const record::Device& device = chosen.runs.front().summary.device;
  return device.uuid.empty() ? device.model : device.uuid;
}

Chosen choose(const fs::path& results, const ReportOptions& options,
              const store::LeftOut& left_out) {
  Chosen chosen;
  chosen.runs = options.selector.empty()
                    ? newest_runs(results, left_out)
                    : std::vector{store::find_run(results, options.selector, left_out)};
  chosen.gates = options.gate.empty()
                     ? newest_gates(results, left_out)
                     : std::vector{store::find_gate(results, options.gate, left_out)};
  if (!options.selector.empty() && options.gate.empty())
    std::erase_if(chosen.gates, [&](const store::FoundGate& gate) {
      return gate.summary.device.model != chosen.runs.front().summary.device.model;
    });
  if (chosen.runs.empty() && chosen.gates.empty())
    throw Error(ErrorKind::store, fmt::format("no run in {} holds a measurement", results.string()),
                "ridgeline run measures some");
  chosen.trend_rules.shown_nights = static_cast<std::size_t>(std::max(1, options.nights));
  chosen.trends = choose_trends(results, chosen, options, left_out);
  chosen.comparisons = choose_comparisons(results, chosen, options, left_out);
  return chosen;
}

}  // namespace ridgeline::cli
