#include <algorithm>
#include <map>
#include <set>

#include "harness/present/trend.hpp"

namespace ridgeline::present {
namespace {

using analysis::DeviceTrend;
using json::put;

json::Value changes_json(const analysis::NightChanges& changes) {
  json::Value object{
      {"environment", changes.environment}, {"before_run", changes.before_run}, {"after_run", changes.after_run}};
  if (!changes.before_commit.empty()) {
    object["before_commit"] = changes.before_commit;
    object["before_dirty"] = changes.before_dirty;
  }
  if (!changes.after_commit.empty()) {
    object["after_commit"] = changes.after_commit;
    object["after_dirty"] = changes.after_dirty;
  }
  return object;
}

void add_command(json::Value& object, const analysis::NightChanges& changes, const record::Device& device,
                 const std::string& case_name) {
  std::string why;
  const std::string command = confirming_command(changes, device, case_name, why);
  put(object, "confirm", command);
  put(object, "cannot_confirm", why);
}

json::Value change_json(const DeviceTrend& trend, const analysis::TrendChange& one) {
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  json::Value object{{"case", one.case_name},      {"kind", to_string(one.kind)},
                     {"night", date(one.night)},   {"earliest", date(one.earliest)},
                     {"latest", date(one.latest)}, {"before", one.before},
                     {"after", one.after},         {"unit", one.unit},
                     {"confirmed", one.confirmed}, {"new", one.is_new},
                     {"fails", fails(one)}};
  if (one.ratio) {
    object["ratio"] = one.after / one.before;
    object["ratio_low"] = one.ratio->low;
    object["ratio_high"] = one.ratio->high;
  }
  if (!one.metric.empty()) object["metric"] = one.metric;
  if (!one.metric.empty()) object["other_metrics"] = one.other_metrics;
  if (one.raised) object["raised"] = date(*one.raised);
  object["changes"] = changes_json(one.changes);
  add_command(object, one.changes, trend.nights.device, one.case_name);
  return object;
}

json::Value series_json(const analysis::NightlyDevice& device) {
  json::Value all = json::Value::array();
  const auto dates = [&](const std::vector<std::uint32_t>& nights) {
    json::Value list = json::Value::array();
    for (const std::uint32_t night : nights) list.push_back(device.nights[night].date);
    return list;
  };
  for (const analysis::NightlyCase& one : device.cases) {
    for (const analysis::NightlyTimes& times : one.times)
      all.push_back({{"case", one.name},
                     {"environment", times.environment},
                     {"nights", dates(times.nights)},
                     {"median_ns", times.median_ns}});
    for (const analysis::NightlyCount& count : one.counts)
      all.push_back({{"case", one.name},
                     {"metric", count.metric},
                     {"unit", count.unit},
                     {"nights", dates(count.nights)},
                     {"values", count.values}});
  }
  return all;
}

/// Those of `nights` from `first` on, counted from there, with what `series` has on each.
void add_shown(json::Value& series, const char* key, const std::vector<std::uint32_t>& nights,
               const std::vector<double>& values, std::size_t first) {
  json::Value places = json::Value::array(), shown = json::Value::array();
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (nights[i] < first) continue;
    places.push_back(nights[i] - first);
    shown.push_back(values[i]);
  }
  series["nights"] = std::move(places);
  series[key] = std::move(shown);
}

/// By case, the metrics of which a change is told.
std::map<std::string, std::set<std::string>> told_metrics(const DeviceTrend& trend) {
  std::map<std::string, std::set<std::string>> metrics;
  const auto add = [&](const analysis::TrendChange& change) {
    if (!change.metric.empty()) metrics[change.case_name].insert(change.metric);
  };
  for (const analysis::TrendChange& change : trend.changes) add(change);
  for (const analysis::FleetEvent& event : trend.fleet)
    for (const analysis::TrendChange& change : event.members) add(change);
  return metrics;
}

/// Of nights from `first` on, numbered from there.
json::Value shown_series(const DeviceTrend& trend, std::size_t first) {
  json::Value all = json::Value::array();
  const std::map<std::string, std::set<std::string>> metrics = told_metrics(trend);
  for (const analysis::NightlyCase& one : trend.nights.cases) {
    for (const analysis::NightlyTimes& times : one.times) {
      if (times.nights.back() < first) continue;
      add_shown(all.push_back({{"case", one.name}, {"environment", times.environment}}), "median_ns", times.nights,
                times.median_ns, first);
    }
    const auto told = metrics.find(one.name);
    if (told == metrics.end()) continue;
    for (const analysis::NightlyCount& count : one.counts) {
      if (!told->second.contains(count.metric) || count.nights.back() < first) continue;
      add_shown(all.push_back({{"case", one.name}, {"metric", count.metric}, {"unit", count.unit}}), "values",
                count.nights, count.values, first);
    }
  }
  return all;
}

json::Value device_json(const DeviceTrend& trend, bool with_series) {
  const analysis::NightlyDevice& device = trend.nights;
  const auto date = [&](std::size_t night) { return device.nights[night].date; };
  json::Value object{
      {"model", device.device.model},        {"device", device.device.id},        {"device_uuid", device.device.uuid},
      {"file", device.file.string()},        {"profile", device.profile},         {"nights", device.nights.size()},
      {"first", device.nights.front().date}, {"last", device.nights.back().date}, {"cases", trend.series},
      {"too_short", trend.too_short},        {"least_step", trend.least_step},    {"left_out", json::Value::object()},
      {"other_runs", json::Value::object()}};
  for (const auto& [outcome, n] : device.left_out) object["left_out"][std::string(record::to_string(outcome))] = n;
  for (const auto& [why, n] : device.other_runs) object["other_runs"][why] = n;
  for (const char* list : {"environments", "fleet_events", "changes", "drifts", "stopped"})
    object[list] = json::Value::array();
  for (const analysis::EnvironmentStart& start : trend.environments) {
    json::Value one{
        {"night", date(start.night)}, {"words", in_words(start)}, {"changed", start.facts}, {"cases", start.cases}};
    if (start.ratio) one["ratio"] = *start.ratio;
    object["environments"].push_back(one);
  }
  for (const analysis::FleetEvent& event : trend.fleet) {
    json::Value one{
        {"kind", to_string(event.kind)}, {"night", date(event.night)}, {"words", in_words(event)},
        {"slower", event.slower},        {"faster", event.faster},     {"ratio", event.ratio},
        {"new", event.is_new},           {"fails", fails(event)},      {"changes", changes_json(event.changes)}};
    add_command(one, event.changes, device.device, largest(event).case_name);
    one["members"] = json::Value::array();
    for (const analysis::TrendChange& member : event.members) one["members"].push_back(change_json(trend, member));
    object["fleet_events"].push_back(one);
  }
  for (const analysis::TrendChange& one : trend.changes) object["changes"].push_back(change_json(trend, one));
  for (const analysis::TrendDrift& drift : trend.drifts)
    object["drifts"].push_back({{"case", drift.case_name},
                                {"from", date(drift.from)},
                                {"ratio", drift.ratio},
                                {"ratio_low", drift.range.low},
                                {"ratio_high", drift.range.high},
                                {"new", drift.is_new},
                                {"fails", fails(drift)},
                                {"changes", changes_json(drift.changes)}});
  for (const analysis::TrendStop& stop : trend.stops) {
    json::Value one{{"case", stop.case_name},
                    {"last", date(stop.last)},
                    {"words", in_words(stop, device.nights.size())},
                    {"new", stop.is_new},
                    {"fails", fails(stop)}};
    if (stop.since_then) one["outcome"] = record::to_string(*stop.since_then);
    object["stopped"].push_back(one);
  }
  object["older"] = trend.older;
  if (with_series) object["series"] = series_json(device);
  return object;
}

}  // namespace

json::Value report_json(const DeviceTrend& trend, const analysis::TrendRules& rules) {
  json::Value object = device_json(trend, false);
  object.erase("file");  // a report is passed on: no path of the machine it was made on
  object["new_nights"] = rules.new_nights;
  const std::vector<analysis::Night>& nights = trend.nights.nights;
  const std::size_t first = nights.size() - std::min(nights.size(), rules.shown_nights);
  object["dates"] = json::Value::array();
  for (std::size_t night = first; night < nights.size(); ++night) object["dates"].push_back(nights[night].date);
  object["series"] = shown_series(trend, first);
  return object;
}

json::Value to_json(const TrendReport& report, bool with_series) {
  json::Value all{{"new_nights", report.rules.new_nights},
                  {"shown_nights", report.rules.shown_nights},
                  {"exit_code", report.exit_code},
                  {"devices", json::Value::array()}};
  for (const DeviceTrend& trend : report.devices) all["devices"].push_back(device_json(trend, with_series));
  return all;
}

}  // namespace ridgeline::present
