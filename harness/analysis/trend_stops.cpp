#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/analysis/trend.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

/// All nights on which a case has a value, ascending.
std::vector<std::uint32_t> nights_of(const NightlyCase& one) {
  std::set<std::uint32_t> nights;
  for (const NightlyTimes& times : one.times)
    nights.insert(times.nights.begin(), times.nights.end());
  for (const NightlyCount& count : one.counts)
    nights.insert(count.nights.begin(), count.nights.end());
  return {nights.begin(), nights.end()};
}

/// Suite, variant, dtype, and the rest.
using Parts = std::array<std::string_view, 4>;
Parts parts_of(std::string_view name) {
  Parts parts;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto slash = name.find('/');
    parts[i] = name.substr(0, slash);
    name = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
  }
  parts[3] = name;
  return parts;
}

/// How alike two cases are at the seam between them.
struct Likeness {
  std::size_t parts = 0;  // of their names, that are the same
  double distance = 0;    // of their levels, as a log
  std::string level;      // in words
};

/// Medians of the last times of one and the first of the other, in the environment that both have.
std::optional<Likeness> alike_in_time(const NightlyCase& old_case, const NightlyCase& new_case,
                                      double least_step) {
  constexpr std::size_t beside = 14;
  const NightlyTimes& after = new_case.times.front();
  const auto before =
      std::ranges::find(old_case.times, after.environment, &NightlyTimes::environment);
  if (before == old_case.times.end()) return {};
  const std::span<const double> old_ns = before->median_ns, new_ns = after.median_ns;
  const double was = stats::median(old_ns.last(std::min(beside, old_ns.size()))),
               is = stats::median(new_ns.first(std::min(beside, new_ns.size())));
  const double distance = std::abs(std::log(is) - std::log(was));
  if (distance > std::log1p(3 * least_step)) return {};
  return Likeness{0, distance, fmt::format("{} -> {}", units::time(was), units::time(is))};
}

/// Every metric that both have, of which there must be one, has the same value.
std::optional<Likeness> alike_in_counts(const NightlyCase& old_case, const NightlyCase& new_case) {
  std::size_t same = 0;
  for (const NightlyCount& before : old_case.counts) {
    const auto after = std::ranges::find(new_case.counts, before.metric, &NightlyCount::metric);
    if (after == new_case.counts.end()) continue;
    if (after->values.front() != before.values.back()) return {};
    ++same;
  }
  if (same == 0) return {};
  return Likeness{
      0, 0,
      fmt::format("the same in {}", units::plural(static_cast<std::int64_t>(same), "metric"))};
}

/// A case at the seam between two names: where it began, or when at last its new name must have.
struct Seam {
  const NightlyCase* one;
  Parts parts;
  std::size_t night;
};

/// What speaks for one case being the other's new name; nothing when too little does.
std::optional<Likeness> likeness(const Seam& old_seam, const Seam& new_seam, double least_step) {
  std::size_t parts = 0;
  for (std::size_t i = 0; i < old_seam.parts.size(); ++i)
    parts += old_seam.parts[i] == new_seam.parts[i] ? 1 : 0;
  const NightlyCase &old_case = *old_seam.one, &new_case = *new_seam.one;
  if (parts + 1 < old_seam.parts.size() || old_case.times.empty() != new_case.times.empty())
    return {};
  std::optional<Likeness> found = old_case.times.empty()
                                      ? alike_in_counts(old_case, new_case)
                                      : alike_in_time(old_case, new_case, least_step);
  if (found) found->parts = parts;
  return found;
}

std::vector<std::string> evidence(const NightlyDevice& device, const NightlyCase& old_case,
                                  const NightlyCase& new_case, const Likeness& alike,
                                  std::size_t last, std::size_t first) {
  static constexpr std::array<const char*, 4> names = {"suite", "variant", "dtype", "problem"};
  const auto old_parts = parts_of(old_case.name), new_parts = parts_of(new_case.name);
  std::string same = "the same";
  for (std::size_t i = 0; i < names.size(); ++i)
    if (old_parts[i] == new_parts[i])
      same += fmt::format("{} {}", same.size() > 8 ? "," : "", names[i]);
  std::vector<std::string> words = {
      same,
      fmt::format("began on {}, {} after the last of the old name", device.nights[first].date,
                  units::plural(static_cast<std::int64_t>(first - last), "night")),
      alike.level};
  const NightlyTimes* times = new_case.times.empty() ? nullptr : &new_case.times.front();
  const NightChanges changes = changes_between(device, times, last, first);
  if (changes.code_known())
    words.emplace_back(changes.before_code == changes.after_code
                           ? "the workers' code is the same byte for byte"
                           : "the workers' code changed with it");
  else if (changes.commit_changed())
    words.emplace_back("the commit changed with it");
  return words;
}

/// Says of each stop which case that began when it was due again is its new name. A case is the new
/// name of one at most: of the most alike.
void name_continuations(const NightlyDevice& device, std::vector<TrendStop>& stops,
                        double least_step) {
  struct Match {
    std::size_t stop;
    const NightlyCase *old_case, *new_case;
    std::size_t first;
    Likeness alike;
  };
  std::vector<Seam> old_seams;  // of each stop
  for (const TrendStop& stop : stops) {
    const NightlyCase& one =
        *std::ranges::lower_bound(device.cases, stop.case_name, {}, &NightlyCase::name);
    old_seams.push_back({&one, parts_of(one.name), stop.last + stopping_silence(nights_of(one))});
  }
  std::vector<Match> matches;
  for (const NightlyCase& one : device.cases) {
    const Seam begun{&one, parts_of(one.name), nights_of(one).front()};
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (begun.night <= stops[i].last || begun.night > old_seams[i].night) continue;
      if (auto alike = likeness(old_seams[i], begun, least_step))
        matches.push_back({i, old_seams[i].one, &one, begun.night, std::move(*alike)});
    }
  }
  std::ranges::stable_sort(matches, {}, [](const Match& one) {
    return std::tuple(-static_cast<int>(one.alike.parts), one.first, one.alike.distance);
  });
  std::set<const NightlyCase*> taken;
  for (const Match& one : matches) {
    TrendStop& stop = stops[one.stop];
    if (stop.continued_by || !taken.insert(one.new_case).second) continue;
    stop.continued_by = Continuation{
        one.new_case->name, one.first,
        evidence(device, *one.old_case, *one.new_case, one.alike, stop.last, one.first)};
  }
}

}  // namespace

std::size_t stopping_silence(std::span<const std::uint32_t> nights) {
  constexpr std::size_t most = 10;
  std::vector<double> gaps;
  for (std::size_t i = nights.size() - std::min(nights.size() - 1, most); i < nights.size(); ++i)
    gaps.push_back(nights[i] - nights[i - 1]);
  if (gaps.empty()) return stopped_nights;
  const auto usual = static_cast<std::size_t>(std::ceil(stats::median(gaps)));
  std::ranges::sort(gaps, std::ranges::greater{});
  const auto long_one = static_cast<std::size_t>(gaps[std::min<std::size_t>(1, gaps.size() - 1)]);
  return std::max(stopped_nights * usual, long_one + stopped_nights - 1);
}

std::vector<TrendStop> stops_of(const NightlyDevice& device, const TrendRules& rules) {
  std::vector<TrendStop> stops;
  for (const NightlyCase& one : device.cases) {
    const std::vector<std::uint32_t> nights = nights_of(one);
    const std::size_t last = nights.back(), silent = whole_nights_after(device, last),
                      enough = stopping_silence(nights);
    // What is measured every month is missed for longer than the nights that are shown.
    if (silent < enough || nights.size() < stopped_nights ||
        silent >= std::max(rules.shown_nights, 2 * enough))
      continue;
    TrendStop& stop = stops.emplace_back();
    stop.case_name = one.name;
    stop.last = last;
    stop.is_new = silent < enough + rules.new_nights;
    stop.raised = last + 1;
    for (std::size_t missed = 0; (missed += device.nights[stop.raised].cut ? 0 : 1) < enough;)
      ++stop.raised;
    if (one.last_failure && one.last_failure_night > last) stop.since_then = one.last_failure;
  }
  if (!stops.empty()) name_continuations(device, stops, rules.least_step.value());
  return stops;
}

}  // namespace ridgeline::analysis
