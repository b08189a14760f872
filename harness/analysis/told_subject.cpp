#include "harness/analysis/told_subject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/analysis/recognition.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

/// Of a change or a drift of times.
const NightlyTimes* series_of(const DeviceTrend& trend, const auto& found) {
  const NightlyCase* one = case_of(trend, found.case_name);
  if (!one) return nullptr;
  const auto times = std::ranges::find(one->times, found.environment, &NightlyTimes::environment);
  return times == one->times.end() ? nullptr : &*times;
}

Subject subject(DeviceTrend& trend, TrendChange& change, const FleetEvent* event) {
  Subject made{&trend, change.case_name};
  made.what = change.metric.empty() ? record::ToldWhat::step : record::ToldWhat::count;
  made.kind = to_string(change.kind);
  made.earliest = change.earliest;
  made.night = change.night;
  made.latest = change.latest;
  made.raised = change.raised.value_or(change.night);
  if (change.before > 0 && change.after > 0) made.ratio = change.after / change.before;
  made.told = !change.mode;
  made.worse = made.told && change.kind == TrendKind::regression && !is_excused(change);
  made.is_new = &change.is_new;
  made.standing = &change.standing;
  made.change = &change;
  made.event = event;
  if (change.metric.empty()) made.series = series_of(trend, change);
  return made;
}

Subject subject(DeviceTrend& trend, TrendDrift& drift) {
  Subject made{&trend, drift.case_name};
  made.what = record::ToldWhat::drift;
  made.kind = "drift";
  made.earliest = made.night = drift.from;
  made.latest = drift.last;
  made.raised = drift.raised;
  made.ratio = drift.ratio;
  made.worse = drift.ratio > 1 && drift.changes.environment.empty();
  made.is_new = &drift.is_new;
  made.standing = &drift.standing;
  made.series = series_of(trend, drift);
  return made;
}

Subject subject(DeviceTrend& trend, TrendStop& stop) {
  Subject made{&trend, stop.case_name};
  made.what = record::ToldWhat::stop;
  made.kind = "stopped";
  made.earliest = made.night = made.latest = stop.last;
  made.raised = stop.raised;
  made.told = !stop.continued_by;
  made.worse = made.told;
  made.is_new = &stop.is_new;
  made.standing = &stop.standing;
  return made;
}

}  // namespace

std::vector<Subject> subjects_of(DeviceTrend& trend) {
  std::vector<Subject> all;
  for (TrendChange& change : trend.changes) all.push_back(subject(trend, change, nullptr));
  for (FleetEvent& event : trend.fleet)
    for (TrendChange& member : event.members) all.push_back(subject(trend, member, &event));
  for (TrendDrift& drift : trend.drifts) all.push_back(subject(trend, drift));
  for (TrendStop& stop : trend.stops) all.push_back(subject(trend, stop));
  for (Subject& one : all)
    one.days = {trend.nights.nights[one.earliest].day, trend.nights.nights[one.latest].day};
  return all;
}

const NightlyCase* case_of(const DeviceTrend& trend, std::string_view name) {
  const std::vector<NightlyCase>& cases = trend.nights.cases;
  const auto found = std::ranges::lower_bound(cases, name, {}, &NightlyCase::name);
  return found == cases.end() || found->name != name ? nullptr : &*found;
}

Days reach_of(const Subject& subject) {
  if (!subject.series || subject.what != record::ToldWhat::step) return subject.days;
  const std::vector<std::uint32_t>& nights = subject.series->nights;
  const auto place = [&](std::size_t night) {
    return static_cast<std::size_t>(std::ranges::lower_bound(nights, night) - nights.begin());
  };
  const std::size_t from = place(subject.earliest),
                    to = std::min(place(subject.latest) + places_moved, nights.size() - 1);
  const std::vector<Night>& all = subject.trend->nights.nights;
  return {all[nights[from - std::min(from, places_moved)]].day, all[nights[to]].day};
}

std::string new_label(const Subject& subject, std::set<std::string>& taken) {
  const NightlyDevice& device = subject.trend->nights;
  const std::string& night = device.nights[subject.night].date;
  std::uint64_t state = fnv1a("");
  for (const std::string_view part :
       {std::string_view(device.key), std::string_view(device.profile), subject.case_name,
        record::to_string(subject.what), std::string_view(night)})
    state = fnv1a("\n", fnv1a(part, state));
  for (;; state = fnv1a("again", state)) {
    std::string label = fmt::format("{:08x}", (state ^ (state >> 32)) & 0xffffffffu);
    if (taken.insert(label).second) return label;
  }
}

record::Told row_of(const DeviceTrend& trend, const Subject& subject, const std::string& now) {
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  record::Told row;
  row.label = subject.standing->label;
  if (subject.event) row.event = subject.event->standing.label;
  row.device = trend.nights.key;
  row.profile = trend.nights.profile;
  row.case_name = subject.case_name;
  row.what = subject.what;
  row.kind = subject.kind;
  if (subject.change) row.metric = subject.change->metric;
  row.earliest = date(subject.earliest);
  row.night = date(subject.night);
  row.latest = date(subject.latest);
  row.ratio = subject.ratio;
  row.told_at = row.state_at = now;
  return row;
}

}  // namespace ridgeline::analysis
