#include "harness/analysis/recognition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldWhat;

Days days_of(const Told& told, const std::filesystem::path& file) {
  const auto earliest = parse_day(told.earliest), night = parse_day(told.night),
             latest = parse_day(told.latest);
  if (!earliest || !night || !latest || *night < *earliest || *latest < *night)
    throw Error(ErrorKind::store,
                fmt::format("told {} of {} is of no nights: {}, between {} and {}",
                            printable(told.label), file.string(), printable(told.night),
                            printable(told.earliest), printable(told.latest)),
                "the file is damaged or was changed by another program; restore it from a backup");
  return {earliest->time_since_epoch().count(), latest->time_since_epoch().count()};
}

/// Whether `told`, of these days and of the same case, may be what `subject` is, whatever their
/// sizes.
bool is_where(const Told& told, const Days& days, const Subject& subject, const Days& reach) {
  if (told.what != subject.what) return false;
  if (told.what == ToldWhat::stop) return days.first == reach.first;
  // A drift goes on, and is told anew when all of it lies behind the night on which it was told.
  if (days.last < reach.first || days.first > reach.last) return false;
  return !told.ratio || !subject.ratio || std::log(*told.ratio) * std::log(*subject.ratio) >= 0;
}

bool is_as_large(const Told& told, const Subject& subject, double least_step) {
  if (told.what == ToldWhat::stop || told.what == ToldWhat::drift || !told.ratio || !subject.ratio)
    return true;
  return std::abs(std::log(*subject.ratio)) <=
         sizes_grown * std::abs(std::log(*told.ratio)) + std::log1p(least_step);
}

/// First the drifts of which it is sure: of the nights that were told, a drift keeps the one that
/// told it, while its first one moves. Then by how far they are apart.
std::pair<bool, std::int64_t> distance(const Days& days, const Subject& subject) {
  const std::int64_t raised = subject.trend->nights.nights[subject.raised].day;
  const bool sure = subject.what == ToldWhat::drift && days.first <= raised && raised <= days.last;
  return {!sure, std::abs((days.first + days.last) - (subject.days.first + subject.days.last))};
}

}  // namespace

std::vector<const Told*> recognise(std::span<const Subject> subjects, std::span<const Told> told,
                                   const DeviceTrend& trend) {
  std::vector<Days> days;
  std::map<std::string_view, std::vector<std::size_t>> of_case;
  for (std::size_t k = 0; k < told.size(); ++k) {
    days.push_back(days_of(told[k], trend.nights.file));
    of_case[told[k].case_name].push_back(k);
  }
  std::vector<bool> done(told.size(), false);  // found, or told again
  std::vector<std::tuple<std::pair<bool, std::int64_t>, std::size_t, std::size_t>> pairs;
  std::vector<std::size_t> grown;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    const auto here = of_case.find(subjects[s].case_name);
    if (here == of_case.end()) continue;
    const Days reach = reach_of(subjects[s]);
    for (const std::size_t k : here->second) {
      if (!is_where(told[k], days[k], subjects[s], reach)) continue;
      if (is_as_large(told[k], subjects[s], trend.least_step))
        pairs.emplace_back(distance(days[k], subjects[s]), s, k);
      else
        grown.push_back(k);
    }
  }
  std::ranges::sort(pairs);
  for (const auto& [apart, s, k] : pairs) {
    Standing& standing = *subjects[s].standing;
    if (done[k] || standing.told) continue;
    done[k] = true;
    standing.told = told[k];
    standing.label = told[k].label;
  }
  for (const std::size_t k : grown) done[k] = true;
  std::vector<const Told*> lost;
  for (std::size_t k = 0; k < told.size(); ++k)
    if (!done[k]) lost.push_back(&told[k]);
  return lost;
}

}  // namespace ridgeline::analysis
