#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/analysis/trend.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

constexpr std::size_t level_nights = 14;             // that a case's levels are the medians of
constexpr std::size_t least_cases = 2 * fleet_size;  // half of them make an event

/// Logs of the times over what the case began with: the median of its first nights, so far.
std::vector<double> deviations(const NightlyTimes& times) {
  std::vector<double> found;
  double reference = 0;
  for (std::size_t i = 0; i < times.median_ns.size(); ++i) {
    if (i < level_nights)
      reference = std::log(stats::median(std::span(times.median_ns).first(i + 1)));
    found.push_back(std::log(times.median_ns[i]) - reference);
  }
  return found;
}

/// The nights of all cases together, of each comparable environment one series: the median over the
/// cases of how far each is from where it began. It has much less noise of its own than any.
NightlyCase common_case(const NightlyDevice& device) {
  // By environment and night, as there are millions of times.
  std::map<std::string, std::vector<std::vector<double>>> all;
  for (const NightlyCase& one : device.cases)
    for (const NightlyTimes& times : one.times) {
      std::vector<std::vector<double>>& nights = all[times.environment];
      nights.resize(device.nights.size());
      const std::vector<double> off = deviations(times);
      for (std::size_t i = 0; i < off.size(); ++i) nights[times.nights[i]].push_back(off[i]);
    }
  NightlyCase common;
  for (const auto& [environment, nights] : all) {
    NightlyTimes times{environment, {}, {}};
    for (std::size_t night = 0; night < nights.size(); ++night) {
      if (nights[night].size() < least_cases) continue;
      times.nights.push_back(static_cast<std::uint32_t>(night));
      times.median_ns.push_back(std::exp(stats::median(nights[night])));
    }
    if (!times.nights.empty()) common.times.push_back(std::move(times));
  }
  std::ranges::sort(common.times, {},
                    [](const NightlyTimes& times) { return times.nights.front(); });
  return common;
}

/// The change of a case on the night of a `shared` one, where it moved at least half as far the
/// same way. `own` are the changes that it tells itself: no level reaches over one.
std::optional<TrendChange> member_of(const TrendChange& shared, const NightlyCase& one,
                                     const std::vector<const TrendChange*>& own) {
  const auto times = std::ranges::find(one.times, shared.environment, &NightlyTimes::environment);
  if (times == one.times.end()) return {};
  const auto place = [&](std::size_t night) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times->nights, night) -
                                    times->nights.begin());
  };
  const std::size_t at = place(shared.night);
  const std::span<const double> values = times->median_ns;
  // The last of its own changes up to there, and the first behind it; `known` when it was told: of
  // those alone that were told by then.
  std::size_t begin = 0, end = values.size(), known_begin = 0,
              known_end = place(*shared.raised + 1);
  for (const TrendChange* change : own) {
    const std::size_t night = place(change->night);
    const bool is_known = *change->raised <= *shared.raised;
    if (night <= at) {
      begin = std::max(begin, night);
      if (is_known) known_begin = std::max(known_begin, night);
    } else {
      end = std::min(end, night);
      if (is_known) known_end = std::min(known_end, night);
    }
  }
  if (at <= begin || at >= end || at >= known_end) return {};
  const std::size_t before = std::min(at - begin, level_nights),
                    after = std::min(end - at, level_nights);
  TrendChange member = shared;
  member.case_name = one.name;
  member.before = stats::median(values.subspan(at - before, before));
  member.after = stats::median(values.subspan(at, after));
  const std::size_t known_before = std::min(at - known_begin, level_nights),
                    nights = std::min(known_end - at, level_nights);
  member.known =
      KnownChange{shared.night, stats::median(values.subspan(at - known_before, known_before)),
                  stats::median(values.subspan(at, nights)), nights};
  member.ratio.reset();
  member.shared = true;
  keep_recent(member, times->median_ns, at);
  // By what was known when it was told, so that a member stays one.
  const double move = std::log(member.known->after / member.known->before),
               all = std::log(shared.known->after / shared.known->before);
  if (move * all <= 0 || std::abs(move) < std::abs(all) / 2) return {};
  return member;
}

}  // namespace

void add_shared_changes(DeviceTrend& trend, const TrendRules& rules) {
  const std::vector<Night>& nights = trend.nights.nights;
  for (const TrendChange& shared :
       trend_of_times(trend.nights, common_case(trend.nights), rules).changes) {
    std::vector<TrendChange*> own;                                   // told of the cases themselves
    std::map<std::string, std::vector<const TrendChange*>> all_own;  // at any time
    const auto is_own = [&](const TrendChange& change) {
      return change.environment == shared.environment && change.worse == shared.worse &&
             std::abs(nights[change.night].day - nights[shared.night].day) <= fleet_days;
    };
    for (TrendChange& change : trend.changes) {
      if (is_own(change)) own.push_back(&change);
      if (change.environment == shared.environment && !change.shared)
        all_own[change.case_name].push_back(&change);
    }
    std::vector<TrendChange> members;
    for (const NightlyCase& one : trend.nights.cases) {
      if (std::ranges::find(own, one.name, [](const TrendChange* change) {
            return change->case_name;
          }) != own.end())
        continue;
      if (std::optional<TrendChange> member = member_of(shared, one, all_own[one.name]))
        members.push_back(std::move(*member));
    }
    if (own.size() + members.size() < fleet_size) continue;
    // What all of them told first is no news when a case tells it itself.
    for (TrendChange* change : own) {
      if (*change->raised <= *shared.raised || change->night > *shared.raised) continue;
      change->raised = shared.raised;
      change->is_new = shared.is_new && !change->mode;
      change->shared = true;
    }
    std::ranges::move(members, std::back_inserter(trend.changes));
  }
}

}  // namespace ridgeline::analysis
