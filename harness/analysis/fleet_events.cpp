#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "harness/analysis/trend.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

/// The member that speaks for all: of those with the most common cause one that lies between the
/// most common nights.
const TrendChange& speaker(const FleetEvent& event) {
  std::vector<const TrendChange*> left;
  for (const TrendChange& member : event.members) left.push_back(&member);
  const auto keep_most_common = [&](const auto& key) {
    std::map<decltype(key(event.members.front())), std::size_t> counts;
    for (const TrendChange* one : left) ++counts[key(*one)];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
    std::erase_if(left, [&](const TrendChange* one) { return key(*one) != most; });
  };
  keep_most_common(
      [](const TrendChange& one) { return one.why ? one.why->cause : TrendCause::code; });
  keep_most_common([](const TrendChange& one) {
    return std::pair(one.changes.before_run, one.changes.after_run);
  });
  return *left.front();
}

/// Of changes of one kind.
FleetEvent event_of(std::vector<TrendChange> members) {
  FleetEvent event;
  event.kind = members.front().kind;
  std::vector<double> nights, ratios;
  for (const TrendChange& member : members) {
    nights.push_back(static_cast<double>(member.night));
    if (member.before > 0 && member.after > 0) ratios.push_back(member.after / member.before);
    ++(member.worse ? event.slower : event.faster);
    event.is_new |= member.is_new;
  }
  event.night = static_cast<std::size_t>(stats::median(nights));
  event.ratio = ratios.empty() ? 1 : stats::median(ratios);
  std::ranges::sort(members, {}, &TrendChange::case_name);
  event.members = std::move(members);
  const TrendChange& said = speaker(event);
  event.changes = said.changes;
  event.why = said.why;
  return event;
}

}  // namespace

std::vector<std::vector<std::size_t>> fleet_events(std::span<const std::int64_t> days) {
  std::vector<std::size_t> left(days.size());  // in no event yet, by day
  std::iota(left.begin(), left.end(), 0);
  std::ranges::sort(left, {}, [&](std::size_t i) { return std::pair(days[i], i); });
  std::vector<std::vector<std::size_t>> events;
  for (;;) {
    std::size_t best_begin = 0, best_size = 0, end = 0;
    for (std::size_t begin = 0; begin < left.size(); ++begin) {
      while (end < left.size() && days[left[end]] <= days[left[begin]] + fleet_days) ++end;
      if (end - begin <= best_size) continue;
      best_begin = begin;
      best_size = end - begin;
    }
    if (best_size < fleet_size) break;
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(best_begin);
    const auto last = first + static_cast<std::ptrdiff_t>(best_size);
    events.emplace_back(first, last);
    left.erase(first, last);
  }
  std::ranges::sort(events, {},
                    [&](const std::vector<std::size_t>& event) { return days[event.front()]; });
  return events;
}

void gather_fleet_events(DeviceTrend& trend) {
  std::map<TrendKind, std::vector<TrendChange>> by_kind;
  for (TrendChange& change : trend.changes) by_kind[change.kind].push_back(std::move(change));
  trend.changes.clear();
  for (auto& [kind, changes] : by_kind) {
    std::vector<std::int64_t> days;
    for (const TrendChange& change : changes) days.push_back(trend.nights.nights[change.night].day);
    std::vector<bool> taken(changes.size(), false);
    for (const std::vector<std::size_t>& group : fleet_events(days)) {
      std::vector<TrendChange> members;
      for (const std::size_t i : group) {
        taken[i] = true;
        members.push_back(std::move(changes[i]));
      }
      trend.fleet.push_back(event_of(std::move(members)));
    }
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (!taken[i]) trend.changes.push_back(std::move(changes[i]));
  }
  std::ranges::sort(trend.fleet, {},
                    [](const FleetEvent& event) { return std::tie(event.night, event.kind); });
  std::ranges::sort(trend.changes, {}, [](const TrendChange& change) {
    return std::tie(change.night, change.case_name);
  });
}

}  // namespace ridgeline::analysis
