#include "harness/analysis/over.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "harness/analysis/level_back.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldState;
using record::ToldWhat;

/// The night on which it was told that the level before a step is back: that of a later change
/// which leads there, or of a fortnight.
std::optional<std::size_t> step_undone(const Subject& one, const std::vector<const Subject*>& all,
                                       double least_step) {
  std::optional<std::size_t> undone = one.change->undone;
  const auto is_since = [&](std::size_t night) {
    undone = std::min(undone.value_or(night), night);
  };
  for (const Subject* later : all)
    if (later->what == ToldWhat::step && later->series == one.series && later->night > one.night &&
        is_back(later->change->after, one.change->before, *one.ratio, least_step))
      is_since(later->raised);
  if (!one.series) return undone;
  if (const auto back = fortnight_back(*one.series, one.change->before,
                                       std::max(one.latest, one.raised), *one.ratio, least_step))
    is_since(*back);
  return undone;
}

std::optional<std::size_t> count_undone(const NightlyCase& one, std::string_view metric,
                                        std::size_t night) {
  const auto count = std::ranges::find(one.counts, metric, &NightlyCount::metric);
  return count == one.counts.end() ? std::nullopt : count_back(*count, night);
}

/// The level before a change of which `ratio` alone is stored: by the nights of the new level which
/// told it, since another level may have been in the fortnight before; by that where nobody was
/// told.
std::optional<double> level_before(const NightlyTimes& times, std::size_t earliest,
                                   std::size_t latest, std::size_t told_on, double ratio) {
  constexpr std::ptrdiff_t most = 14;
  const auto begin = std::ranges::lower_bound(times.nights, latest),
             end = std::ranges::upper_bound(times.nights, told_on);
  if (end <= begin) return fortnight_before(times, earliest);
  const std::span<const double> values = times.median_ns;
  const auto nights = values.subspan(static_cast<std::size_t>(begin - times.nights.begin()),
                                     static_cast<std::size_t>(std::min(end - begin, most)));
  return stats::median(nights) / ratio;
}

/// The night on which `told`, which is no finding any more, is over.
std::optional<std::size_t> night_over(const DeviceTrend& trend, const NightlyCase& one,
                                      const Told& told, double least_step) {
  const auto night_of = [&](const std::string& date) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(trend.nights.nights, date, {}, &Night::date) -
        trend.nights.nights.begin());
  };
  const std::size_t earliest = night_of(told.earliest), latest = night_of(told.latest),
                    told_on = told.told_night.empty() ? 0 : night_of(told.told_night);
  if (told.what == ToldWhat::count) return count_undone(one, told.metric, night_of(told.night));
  const auto times = std::ranges::find_if(one.times, [&](const NightlyTimes& each) {
    return std::ranges::binary_search(each.nights, earliest) &&
           std::ranges::binary_search(each.nights, latest);
  });
  if (times == one.times.end() || !told.ratio) return {};
  return fortnight_back(*times, level_before(*times, earliest, latest, told_on, *told.ratio),
                        latest, *told.ratio, least_step);
}

bool is_measured_behind(const DeviceTrend& trend, const NightlyCase& one, const std::string& date) {
  const auto any = [&](const auto& all) {
    return std::ranges::any_of(all, [&](const auto& each) {
      return !each.nights.empty() && trend.nights.nights[each.nights.back()].date > date;
    });
  };
  return any(one.times) || any(one.counts);
}

}  // namespace

void find_undone(std::span<const Subject> subjects, double least_step) {
  std::map<std::string_view, std::vector<const Subject*>> of_case;
  for (const Subject& one : subjects) of_case[one.case_name].push_back(&one);
  for (const Subject& one : subjects) {
    if (!one.told) continue;
    std::optional<std::size_t>& undone = one.standing->undone;
    if (one.what == ToldWhat::step && one.ratio)
      undone = step_undone(one, of_case[one.case_name], least_step);
    else if (one.what == ToldWhat::drift && one.series)
      undone = fortnight_back(*one.series, fortnight_before(*one.series, one.earliest), one.latest,
                              *one.ratio, least_step);
    else if (const NightlyCase* its = case_of(*one.trend, one.case_name);
             one.what == ToldWhat::count && its)
      undone = count_undone(*its, one.change->metric, one.night);
  }
}

void find_gone(DeviceTrend& trend, std::span<const Told* const> lost, const TrendRules& rules,
               double least_step) {
  const std::vector<Night>& nights = trend.nights.nights;
  const auto date_ago = [&](std::size_t count) -> const std::string& {
    return nights[nights.size() - std::clamp<std::size_t>(count, 1, nights.size())].date;
  };
  // A change whose place may have moved out of the nights that are shown has not gone.
  const std::string &first = date_ago(rules.shown_nights),
                    &first_of_changes = date_ago(rules.shown_nights * 2 / 3);
  for (const Told* told : lost) {
    const NightlyCase* its = case_of(trend, told->case_name);
    if (!its || (told->state != ToldState::told && told->state != ToldState::acknowledged))
      continue;
    if (told->what == ToldWhat::stop) {
      if (!is_measured_behind(trend, *its, told->night)) continue;
      if (told->night >= first)
        trend.gone.push_back(*told);
      else
        trend.over.emplace_back(*told, "measured again");
      continue;
    }
    if (told->night < first_of_changes) {
      if (const auto night = night_over(trend, *its, *told, least_step))
        trend.over.emplace_back(*told, "undone on " + nights[*night].date);
      continue;
    }
    const bool counts =
        !told->ratio || std::abs(std::log(*told->ratio)) >= std::log1p(trend.least_step);
    if (counts && told->state == ToldState::told) trend.gone.push_back(*told);
  }
}

}  // namespace ridgeline::analysis
