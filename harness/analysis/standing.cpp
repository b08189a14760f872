#include "harness/analysis/standing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/analysis/told_subject.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldState;
using record::ToldWhat;

/// What was told, and whether a finding has been recognised in it.
struct Known {
  const Told* told = nullptr;
  Days days;
  bool found = false;
};

Known known(const Told& told, const std::filesystem::path& file) {
  const auto earliest = parse_day(told.earliest), night = parse_day(told.night),
             latest = parse_day(told.latest);
  if (!earliest || !night || !latest || *night < *earliest || *latest < *night)
    throw Error(ErrorKind::store,
                fmt::format("told {} of {} is of no nights: {}, between {} and {}",
                            printable(told.label), file.string(), printable(told.night),
                            printable(told.earliest), printable(told.latest)),
                "the file is damaged or was changed by another program; restore it from a backup");
  return {&told, {earliest->time_since_epoch().count(), latest->time_since_epoch().count()}, false};
}

/// Whether `told` may be what `subject` is, whatever their sizes.
bool is_where(const Known& known, const Subject& subject, const Days& reach) {
  const Told& told = *known.told;
  if (told.case_name != subject.case_name || told.what != subject.what) return false;
  if (told.what == ToldWhat::stop) return known.days.first == reach.first;
  // A drift goes on, and is told anew when all of it lies behind the night on which it was told.
  if (known.days.last < reach.first || known.days.first > reach.last) return false;
  return !told.ratio || !subject.ratio || std::log(*told.ratio) * std::log(*subject.ratio) >= 0;
}

/// Whether `told` may be what `subject` is.
bool may_be(const Known& known, const Subject& subject, const Days& reach, double least_step) {
  if (!is_where(known, subject, reach)) return false;
  const Told& told = *known.told;
  if (told.what == ToldWhat::stop || !told.ratio || !subject.ratio) return true;
  return std::abs(std::log(*subject.ratio)) <=
         sizes_grown * std::abs(std::log(*told.ratio)) + std::log1p(least_step);
}

std::int64_t distance(const Days& a, const Days& b) {
  return std::abs((a.first + a.last) - (b.first + b.last));
}

/// Gives each finding what was told of it, the nearest first; each is of one finding at most.
void recognise(std::vector<Subject>& subjects, std::vector<Known>& all, double least_step) {
  std::vector<std::tuple<std::int64_t, std::size_t, std::size_t>> pairs;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    const Days reach = reach_of(subjects[s]);
    for (std::size_t k = 0; k < all.size(); ++k)
      if (may_be(all[k], subjects[s], reach, least_step))
        pairs.emplace_back(distance(all[k].days, subjects[s].days), s, k);
  }
  std::ranges::sort(pairs);
  for (const auto& [apart, s, k] : pairs) {
    Standing& standing = *subjects[s].standing;
    if (all[k].found || standing.told) continue;
    all[k].found = true;
    standing.told = *all[k].told;
    standing.label = standing.told->label;
  }
}

bool is_recent(const std::string& then, const std::string& now) {
  const auto from = parse_point_in_time(then), to = parse_point_in_time(now);
  return from && to && std::chrono::abs(*to - *from) < same_job;
}

/// The level before it is back from the night of a later change on.
void find_undone(std::vector<Subject>& subjects, double least_step) {
  for (Subject& one : subjects) {
    if (!one.change || !one.told || !one.ratio) continue;
    one.standing->undone = one.change->undone;
    const double size = std::log(*one.ratio),
                 near = std::max(std::log1p(least_step), std::abs(size) / 3);
    for (const Subject& later : subjects) {
      if (!later.change || !later.told || later.case_name != one.case_name ||
          later.series != one.series || later.change->metric != one.change->metric ||
          later.night <= one.night || !(later.change->after > 0))
        continue;
      const double left = std::log(later.change->after / one.change->before);
      if (size > 0 ? left > near : left < -near) continue;
      const std::size_t told = later.change->raised.value_or(later.night);
      std::optional<std::size_t>& undone = one.standing->undone;
      undone = std::min(undone.value_or(told), told);
    }
  }
}

/// Sets whether `one` is new, and whether it may fail a night.
void judge(const Subject& one, bool told_before, const DeviceTrend& trend, const TrendRules& rules,
           const std::string& now) {
  const std::vector<Night>& nights = trend.nights.nights;
  const std::string &tonight = nights.back().date,
                    &since = nights[nights.size() - std::min(nights.size(), rules.new_nights)].date;
  Standing& standing = *one.standing;
  bool& is_new = *one.is_new;
  if (!standing.told) {
    if (told_before) is_new = one.told && one.latest + oldest_new >= nights.size();
    if (standing.undone) is_new = false;
    standing.quiet = standing.undone.has_value();
    return;
  }
  Told& told = *standing.told;
  if (told.state == ToldState::resolved && told.said_by == record::said_by_program &&
      !standing.undone) {
    standing.found_again = true;
    told.state = ToldState::told;
    told.why.clear();
    told.said_by.clear();
  }
  const bool is_told = told.state == ToldState::told && !standing.undone && one.told;
  // Of something else first, and found to be for the worse now.
  if (is_told && !told.failed && told.kind != one.kind && one.worse) {
    is_new = true;
    return;
  }
  is_new = is_told && !told.told_night.empty() && told.told_night >= since;
  standing.quiet = !is_told || told.told_night != tonight || !is_recent(told.told_at, now);
}

/// What joins a fleet event that was told is told with it, unless it is much worse.
void join(FleetEvent& event, double least_step) {
  double largest = 0;
  bool told = false, told_worse = false;
  for (const TrendChange& member : event.members) {
    if (!member.standing.told || member.is_new) continue;
    told = true;
    told_worse |= member.standing.told->failed || member.standing.told->kind == "regression";
    largest = std::max(largest, std::abs(std::log(member.standing.told->ratio.value_or(1))));
  }
  for (TrendChange& member : event.members) {
    if (!told || member.standing.told || !member.is_new) continue;
    const double size = member.before > 0 && member.after > 0
                            ? std::abs(std::log(member.after / member.before))
                            : 0;
    if (member.kind == TrendKind::regression &&
        (!told_worse || size > sizes_grown * largest + std::log1p(least_step)))
      continue;
    member.is_new = false;
    member.standing.quiet = true;
  }
}

/// What stands of an event follows from its members.
void stand_together(FleetEvent& event) {
  Standing& all = event.standing;
  all = event.members.front().standing;
  event.is_new = false;
  for (const TrendChange& member : event.members) {
    const Standing& one = member.standing;
    event.is_new |= member.is_new;
    all.quiet = all.quiet && one.quiet;
    if (!one.undone)
      all.undone.reset();
    else if (all.undone)
      all.undone = std::max(*all.undone, *one.undone);
    if (!one.told) continue;
    all.label = one.told->event.empty() ? one.told->label : one.told->event;
    if (!all.told) all.told = one.told;
    if (all.told->state != one.told->state) all.told->state = ToldState::told;
  }
}

}  // namespace

Remembered remembered(store::Connection& connection, const NightlyDevice& device,
                      const std::string& job, const std::string& until) {
  Remembered all;
  const auto is_of_device = [&](const auto& one) {
    return one.device == device.key && one.profile == device.profile;
  };
  for (Told& one : store::told(connection)) {
    if (!is_of_device(one)) continue;
    if (!until.empty()) {
      if (one.told_at.substr(0, 10) > until) continue;
      if (one.state_at.substr(0, 10) > until) {
        one.state = ToldState::told;
        one.why.clear();
        one.said_by.clear();
      }
    }
    all.told.push_back(std::move(one));
  }
  for (const record::Telling& one : store::tellings(connection))
    all.told_before |= is_of_device(one) && one.job == job &&
                       (until.empty() || one.told_at.substr(0, 10) <= until);
  return all;
}

void stand(DeviceTrend& trend, const Remembered& remembered, const TrendRules& rules,
           const std::string& now) {
  std::vector<Subject> subjects = subjects_of(trend);
  std::vector<Known> all;
  for (const Told& told : remembered.told) all.push_back(known(told, trend.nights.file));
  recognise(subjects, all, trend.least_step);
  find_undone(subjects, trend.least_step);
  std::set<std::string> labels;
  for (const Told& told : remembered.told) labels.insert(told.label);
  for (const Subject& one : subjects) {
    if (!one.standing->told) one.standing->label = new_label(one, labels);
    judge(one, remembered.told_before, trend, rules, now);
  }
  for (FleetEvent& event : trend.fleet) {
    join(event, trend.least_step);
    stand_together(event);
  }
  const std::vector<Night>& nights = trend.nights.nights;
  const auto date_ago = [&](std::size_t count) -> const std::string& {
    return nights[nights.size() - std::clamp<std::size_t>(count, 1, nights.size())].date;
  };
  // A change whose place may have moved out of the nights that are shown has not gone.
  const std::string &first = date_ago(rules.shown_nights),
                    &first_of_changes = date_ago(rules.shown_nights * 2 / 3);
  for (const Known& one : all) {
    const Told& told = *one.told;
    const bool asked = std::ranges::any_of(
        trend.nights.cases, [&](const NightlyCase& each) { return each.name == told.case_name; });
    const bool counts = told.what == ToldWhat::stop || !told.ratio ||
                        std::abs(std::log(*told.ratio)) >= std::log1p(trend.least_step);
    // What grew was told again, and has not gone.
    const auto grew = [&](const Subject& each) {
      const Days reach = reach_of(each);
      return is_where(one, each, reach) && !may_be(one, each, reach, trend.least_step);
    };
    if (!one.found && asked && counts && std::ranges::none_of(subjects, grew) &&
        told.night >= (told.what == ToldWhat::stop ? first : first_of_changes) &&
        (told.state == ToldState::told || told.state == ToldState::acknowledged))
      trend.gone.push_back(told);
  }
}

store::Retold retold(DeviceTrend& trend, const std::string& now) {
  store::Retold changes;
  const std::string& tonight = trend.nights.nights.back().date;
  const auto resolve = [&](Told told, const std::string& why) {
    const std::string read = told.state_at;
    told.state = ToldState::resolved;
    told.state_at = now;
    told.why = why;
    told.said_by = record::said_by_program;
    changes.changed.emplace_back(std::move(told), read);
  };
  for (const Subject& one : subjects_of(trend)) {
    const Standing& standing = *one.standing;
    const std::string undone =
        standing.undone ? "undone on " + trend.nights.nights[*standing.undone].date : "";
    if (!standing.told) {
      if (!one.told) continue;
      Told row = row_of(trend, one, now);
      row.failed = one.worse && *one.is_new && !standing.quiet;
      if (*one.is_new) row.told_night = tonight;
      if (!undone.empty()) {
        row.state = ToldState::resolved;
        row.why = undone;
        row.said_by = record::said_by_program;
      }
      changes.added.push_back(std::move(row));
      continue;
    }
    Told row = *standing.told;
    if (standing.undone) {
      if (row.state != ToldState::resolved) resolve(row, undone);
    } else if (one.worse && *one.is_new && !standing.quiet && !row.failed) {
      row.kind = one.kind;
      row.failed = true;
      row.told_night = tonight;
      row.told_at = now;
      changes.changed.emplace_back(row, row.state_at);
    } else if (standing.found_again) {
      const std::string read = row.state_at;
      row.state_at = now;
      changes.changed.emplace_back(std::move(row), read);
    }
  }
  for (const Told& told : trend.gone)
    resolve(told, told.what == ToldWhat::stop ? "measured again" : "not found any more");
  return changes;
}

std::optional<std::int64_t> silence_of(const NightlyDevice& device, std::chrono::sys_seconds now) {
  constexpr std::size_t recent = 15;
  constexpr std::int64_t nights = 3;
  const std::int64_t today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  std::vector<double> gaps;
  const std::vector<Night>& all = device.nights;
  for (std::size_t i = std::max<std::size_t>(1, all.size() - std::min(all.size(), recent));
       i < all.size(); ++i)
    gaps.push_back(static_cast<double>(all[i].day - all[i - 1].day));
  const double usual = gaps.empty() ? 1 : std::max(1.0, stats::median(gaps));
  const std::int64_t silent = today - all.back().day;
  if (static_cast<double>(silent) <= nights * usual) return std::nullopt;
  return silent;
}

}  // namespace ridgeline::analysis
