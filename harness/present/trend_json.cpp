#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/analysis/series_spread.hpp"
#include "harness/base/shell.hpp"
#include "harness/present/rounded.hpp"
#include "harness/present/stretches.hpp"
#include "harness/present/trend.hpp"

namespace ridgeline::present {
namespace {

using analysis::DeviceTrend;
using json::put;

json::Value changes_json(const analysis::NightChanges& changes) {
  json::Value object{{"environment", changes.environment},
                     {"before_run", changes.before_run},
                     {"after_run", changes.after_run}};
  if (!changes.before_commit.empty()) {
    object["before_commit"] = changes.before_commit;
    object["before_dirty"] = changes.before_dirty;
  }
  if (!changes.after_commit.empty()) {
    object["after_commit"] = changes.after_commit;
    object["after_dirty"] = changes.after_dirty;
  }
  put(object, "before_code", changes.before_code);
  put(object, "after_code", changes.after_code);
  return object;
}

/// What was told and said of it; its state is that which people gave it.
void put_standing(json::Value& object, const DeviceTrend& trend,
                  const analysis::Standing& standing) {
  put(object, "label", standing.label);
  if (standing.undone) object["undone"] = trend.nights.nights[*standing.undone].date;
  if (!standing.told) return;
  const record::Told& told = *standing.told;
  json::Value& answer = object["answer"] = {{"state", to_string(told.state)}};
  if (told.state != record::ToldState::told) answer["at"] = told.state_at;
  put(answer, "why", told.why);
  put(answer, "by", told.said_by);
  const bool is_told_now = standing.retelling == analysis::Retelling::told;
  put(object, "told_night", is_told_now ? trend.nights.nights.back().date : told.told_night);
  object["told_at"] = told.told_at;
}

json::Value to_json(const record::Told& told) {
  json::Value object{{"label", told.label},
                     {"case", told.case_name},
                     {"kind", told.kind},
                     {"night", told.night},
                     {"words", gone_words(told)}};
  put(object, "ratio", told.ratio);
  put(object, "told_night", told.told_night);
  return object;
}

json::Value to_json(const DeviceTrend& trend, const Finding& one) {
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  json::Value object = json::Value::object();
  put(object, "case", one.case_name);
  object["kind"] = one.kind;
  object["night"] = date(one.night);
  object["mode"] = one.mode;
  object["new"] = one.is_new;
  object["fails"] = one.fails;
  object["worse"] = one.worse;
  put(object, "ratio", one.ratio);
  if (one.range) {
    object["ratio_low"] = one.range->low;
    object["ratio_high"] = one.range->high;
  }
  if (one.raised) object["raised"] = date(*one.raised);
  if (one.until) object["until"] = date(*one.until);
  if (one.since_then) object["outcome"] = record::to_string(*one.since_then);
  if (one.step) {
    object["earliest"] = date(one.step->earliest);
    object["latest"] = date(one.step->latest);
    object["before"] = one.step->before;
    object["after"] = one.step->after;
    object["unit"] = one.step->unit;
    put(object, "metric", one.step->metric);
    if (!one.step->metric.empty()) object["other_metrics"] = one.step->other_metrics;
    if (one.step->undone) object["undone"] = date(*one.step->undone);
    if (one.step->undoes) object["undoes"] = date(*one.step->undoes);
    if (const auto& evidence = one.step->evidence)
      object["evidence"] = {{"nights", evidence->nights},
                            {"nights_before", evidence->before},
                            {"score", evidence->score}};
  }
  const std::string state(state_word(one));
  object["words"] = {
      {"kind", (one.mode ? "mode, " + std::string(one.kind) : std::string(kind_words(one))) +
                   (one.is_new ? ", new" : "") + (state.empty() ? "" : ", " + state)},
      {"said", in_words(one)}};
  put(object["words"], "change", change_words(one));
  put(object["words"], "interval", range_words(one));
  put(object["words"], "levels", one.levels);
  put(object["words"], "where", one.where);
  put(object["words"], "commits", commit_words(one));
  put(object["words"], "cause", cause_words(one));
  if (one.why)
    object["why"] = {{"cause", to_string(one.why->cause)}, {"evidence", one.why->evidence}};
  if (const analysis::Continuation* next = one.continued_by)
    object["continued_by"] = {
        {"case", next->case_name}, {"from", date(next->first)}, {"evidence", next->evidence}};
  put(object["words"], "standing", standing_words(trend, one));
  if (one.standing) put_standing(object, trend, *one.standing);
  if (one.changes) object["changes"] = changes_json(*one.changes);
  put(object, "confirm", one.confirm);
  put(object, "bisect", one.bisect);
  put(object, "cannot_confirm", one.cannot_confirm);
  for (const Finding& member : one.members) object["members"].push_back(to_json(trend, member));
  return object;
}

/// By the hash of each comparable environment of these nights, its facts.
json::Value comparable_json(const analysis::NightlyDevice& device) {
  json::Value all = json::Value::object();
  std::set<std::string_view> seen;
  for (const store::StoredRun& run : device.runs) {
    if (!seen.insert(run.environment.hash).second) continue;
    json::Value& facts = all[run.environment.hash] = json::Value::object();
    for (const auto& [fact, value] : run.environment.comparable) facts[fact] = value;
  }
  return all;
}

/// `dates` of the nights from `first` on, and the `series` of them: places in `dates`, and a value
/// for each. As a `whole` times have all digits, and a case that was counted has every metric; else
/// times have six digits, counts are those of which a change is told, and places are stretches: a
/// report has very many.
void put_series(json::Value& object, const DeviceTrend& trend, std::size_t first, bool whole) {
  std::set<std::pair<std::string, std::string>> told;  // case and metric
  for (const analysis::TrendChange& change : trend.changes)
    told.emplace(change.case_name, change.metric);
  for (const analysis::FleetEvent& event : trend.fleet)
    for (const analysis::TrendChange& change : event.members)
      told.emplace(change.case_name, change.metric);
  object["dates"] = json::Value::array();
  for (std::size_t night = first; night < trend.nights.nights.size(); ++night)
    object["dates"].push_back(trend.nights.nights[night].date);
  object["series"] = json::Value::array();
  const auto add = [&](json::Value series, const char* key, const auto& one,
                       const std::vector<double>& values, bool in_full) {
    const char* places = whole ? "nights" : "stretches";
    json::Value nights = json::Value::array(), found = json::Value::array();
    Stretches stretches;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (one.nights[i] < first) continue;
      const auto place = static_cast<std::uint32_t>(one.nights[i] - first);
      if (whole)
        nights.push_back(place);
      else
        stretches.add(place);
      found.push_back(in_full ? json::Value(values[i]) : rounded(values[i]));
    }
    series[places] = whole ? std::move(nights) : stretches.to_json();
    series[key] = std::move(found);
    if (one.nights.back() >= first) object["series"].push_back(std::move(series));
  };
  for (const analysis::NightlyCase& one : trend.nights.cases) {
    for (const analysis::NightlyTimes& times : one.times) {
      json::Value series{{"case", one.name}, {"environment", times.environment}};
      if (const auto noise = analysis::spread_of(times)) {
        series["spread"] = noise->spread;
        series["phi"] = noise->phi;
      }
      add(std::move(series), "median_ns", times, times.median_ns, whole);
    }
    for (const analysis::NightlyCount& count : one.counts)
      if (whole || told.contains({one.name, count.metric}))
        add({{"case", one.name}, {"metric", count.metric}, {"unit", count.unit}}, "values", count,
            count.values, true);
  }
}

json::Value device_json(const DeviceTrend& trend, const analysis::TrendRules& rules,
                        const ListedFindings& only = {}) {
  const analysis::NightlyDevice& device = trend.nights;
  const std::vector<Finding> found = findings(trend);
  const auto any = [&](const auto& wanted) { return std::ranges::any_of(found, wanted); };
  const bool nothing_known = trend.too_short >= trend.series;
  json::Value object{{"model", device.device.model},
                     {"device", device.device.id},
                     {"device_uuid", device.device.uuid},
                     {"file", device.file.string()},
                     {"profile", device.profile},
                     {"nights", device.nights.size()},
                     {"first", device.nights.front().date},
                     {"last", device.nights.back().date},
                     {"cases", trend.series},
                     {"too_short", trend.too_short},
                     {"least_step", trend.least_step},
                     {"fails", any(&Finding::fails)},
                     {"doubtful", any(&Finding::worse) || !trend.environments.empty() ||
                                      nothing_known || any([](const Finding& one) {
                                        return !one.mode &&
                                               one.kind ==
                                                   to_string(analysis::TrendKind::environment);
                                      })},
                     {"conclusion", totals(found, trend, rules.shown_nights)},
                     {"limits", limits(trend)},
                     {"left_out", json::Value::object()},
                     {"other_runs", json::Value::object()},
                     {"comparable", comparable_json(device)},
                     {"environments", json::Value::array()},
                     {"findings", json::Value::array()},
                     {"gone", json::Value::array()},
                     {"older", trend.older}};
  put(object, "pool", device.pool);
  if (trend.silent_days) object["silent_days"] = *trend.silent_days;
  for (const auto& [outcome, n] : device.left_out)
    object["left_out"][std::string(record::to_string(outcome))] = n;
  for (const auto& [why, n] : device.other_runs) object["other_runs"][why] = n;
  for (const analysis::EnvironmentStart& start : trend.environments) {
    json::Value& one = object["environments"].push_back({{"night", device.nights[start.night].date},
                                                         {"words", in_words(start)},
                                                         {"changed", start.facts},
                                                         {"cases", start.cases}});
    put(one, "ratio", start.ratio);
  }
  std::size_t hidden = 0;
  for (const Finding& one : listed(found, only, hidden))
    object["findings"].push_back(to_json(trend, one));
  object["hidden"] = hidden;
  for (const record::Told& told : trend.gone)
    if (is_listed(only, "gone", false)) object["gone"].push_back(to_json(told));
  return object;
}

/// What tells the same nights again. By the UUID, since several devices may have one id; those of a
/// pool by their model.
std::string command(const analysis::NightlyDevice& device, const analysis::TrendRules& rules) {
  const record::Device& of = device.device;
  const std::string& name = !device.pool.empty() ? of.model : of.uuid.empty() ? of.id : of.uuid;
  std::vector<std::string> words{"ridgeline", "trend",     "--device",
                                 name,        "--profile", device.profile};
  const analysis::TrendRules usual;
  if (rules.shown_nights != usual.shown_nights)
    words.insert(words.end(), {"--nights", std::to_string(rules.shown_nights)});
  if (rules.new_nights != usual.new_nights)
    words.insert(words.end(), {"--new-nights", std::to_string(rules.new_nights)});
  return shell_line(words);
}

}  // namespace

json::Value report_json(const DeviceTrend& trend, const analysis::TrendRules& rules) {
  json::Value object = device_json(trend, rules);
  object.erase("file");  // a report is passed on: no path of the machine it was made on
  object["new_nights"] = rules.new_nights;
  object["command"] = command(trend.nights, rules);
  const std::size_t nights = trend.nights.nights.size();
  put_series(object, trend, nights - std::min(nights, rules.shown_nights), false);
  return object;
}

json::Value to_json(const TrendReport& report, bool with_series) {
  json::Value all{{"new_nights", report.rules.new_nights},
                  {"shown_nights", report.rules.shown_nights},
                  {"exit_code", report.exit_code},
                  {"left_out", report.left_out},
                  {"devices", json::Value::array()}};
  for (const DeviceTrend& trend : report.devices) {
    json::Value& device = all["devices"].push_back(device_json(trend, report.rules, report.listed));
    if (with_series) put_series(device, trend, 0, true);
  }
  return all;
}

}  // namespace ridgeline::present
