#include "harness/analysis/told_events.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldState;

/// How much larger than the event a member may be that joins it, of the logs.
constexpr double times_median = 1.5;

/// The label of the event that most members were told with; empty where that is none.
std::string told_event_of(const FleetEvent& event) {
  std::map<std::string, std::size_t> members;
  for (const TrendChange& member : event.members)
    if (member.standing.told && !member.standing.told->event.empty())
      ++members[member.standing.told->event];
  const auto most =
      std::ranges::max_element(members, {}, [](const auto& one) { return one.second; });
  return most == members.end() ? "" : most->first;
}

}  // namespace

ToldEvents events_of(std::span<const Told> told) {
  ToldEvents all;
  for (const Told& one : told) all[one.event.empty() ? one.label : one.event].push_back(&one);
  return all;
}

void join(FleetEvent& event, const ToldEvents& told, const NightlyDevice& device,
          double least_step) {
  const std::string label = told_event_of(event), &tonight = device.nights.back().date;
  if (label.empty()) return;
  const bool worse = event.kind == TrendKind::regression;
  std::vector<const Told*> before;
  std::vector<double> sizes;
  for (const Told* one : told.at(label)) {
    if (one->told_night.empty() || one->told_night >= tonight || (worse && !one->failed)) continue;
    before.push_back(one);
    sizes.push_back(std::abs(std::log(one->ratio.value_or(1))));
  }
  if (before.size() < fleet_size) return;
  const double most = times_median * stats::median(sizes) + std::log1p(least_step);
  for (TrendChange& member : event.members) {
    Standing& standing = member.standing;
    if (!member.is_new) continue;
    if (standing.told && !standing.told->told_night.empty() &&
        (standing.told->told_night != tonight || standing.told->event != label))
      continue;  // it was told by itself, and is told as what it became
    if (worse) {
      const bool has_ratio = member.before > 0 && member.after > 0;
      const auto with_it = std::ranges::count_if(before, [&](const Told* one) {
        return one->earliest <= device.nights[member.latest].date &&
               device.nights[member.earliest].date <= one->latest;
      });
      if (!has_ratio || std::abs(std::log(member.after / member.before)) > most ||
          2 * with_it < std::ssize(before))
        continue;
    }
    member.is_new = false;
    standing.quiet = true;
    if (standing.retelling == Retelling::told) standing.retelling = Retelling::joined;
  }
}

void stand_together(FleetEvent& event) {
  Standing all = event.members.front().standing;
  const auto own = std::ranges::find_if(
      event.members, [](const TrendChange& member) { return !member.standing.told; });
  const std::string label = told_event_of(event);
  if (!label.empty())
    all.label = label;
  else if (own != event.members.end())
    all.label = own->standing.label;
  all.told.reset();
  event.is_new = false;
  bool agree = true;
  for (const TrendChange& member : event.members) {
    const Standing& one = member.standing;
    event.is_new |= member.is_new;
    all.quiet = all.quiet && one.quiet;
    if (one.retelling == Retelling::told) all.retelling = Retelling::told;
    if (!one.undone)
      all.undone.reset();
    else if (all.undone)
      all.undone = std::max(*all.undone, *one.undone);
    if (!one.told) continue;
    agree &= !all.told || all.told->state == one.told->state;
    if (!all.told || all.told->told_night < one.told->told_night) all.told = one.told;
  }
  if (!agree) all.told->state = ToldState::told;
  event.standing = std::move(all);
}

}  // namespace ridgeline::analysis
