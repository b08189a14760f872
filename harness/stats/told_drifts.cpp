#include "harness/stats/told_drifts.hpp"

#include <algorithm>
#include <optional>

namespace ridgeline::stats {
namespace {

bool rises(const LevelStep& step) { return step.after > step.before; }

/// Without their sizes.
std::vector<ToldDrift> slopes_of(std::span<const LevelStep> steps, std::size_t begin,
                                 std::size_t first) {
  std::vector<ToldDrift> slopes;
  std::optional<std::size_t> last;  // step of the last slope
  for (std::size_t i = first; i < steps.size(); ++i) {
    const std::optional<std::size_t> since = steps[i].slope;
    if (!since || *since <= begin) continue;
    const bool goes_on = last && *last + 1 == i && rises(steps[*last]) == rises(steps[i]) &&
                         *since <= slopes.back().end;
    last = i;
    if (!goes_on) slopes.push_back({*since, 0, steps[i].told, *since, 0, {}});
    slopes.back().end = steps[i].told;
  }
  return slopes;
}

/// Whether a step was told behind `begin` before there were `until` nights.
bool is_parted(const StepWatch& steps, std::size_t begin, std::size_t until) {
  return std::ranges::any_of(steps.steps(), [&](const LevelStep& step) {
    return !step.slope && step.place.at > begin && step.told <= until;
  });
}

void measure(ToldDrift& slope, const StepWatch& steps) {
  const StepSize size = steps.size_between(slope.begin, slope.end);
  slope.size = size.after - size.before;
  slope.range = size.step;
}

}  // namespace

std::vector<ToldDrift> told_drifts(const StepWatch& steps, const DriftWatch& drifts,
                                   std::size_t begin, std::size_t first) {
  std::vector<ToldDrift> all = slopes_of(steps.steps(), begin, first);
  for (ToldDrift& slope : all) measure(slope, steps);
  std::vector<ToldDrift> others;
  for (const DriftWatch::Told& one : drifts.told()) {
    const auto same = std::ranges::find_if(all, [&](const ToldDrift& slope) {
      return slope.size * one.drift.total > 0 && one.drift.begin < slope.end &&
             slope.begin < one.until && !is_parted(steps, slope.begin, one.until);
    });
    if (same == all.end()) {
      others.push_back(
          {one.drift.begin, one.until, one.told, one.begin, one.drift.total, one.drift.range});
      continue;
    }
    if (one.told < same->told) {
      same->told = one.told;
      same->known_begin = one.begin;
    }
    same->end = std::max(same->end, one.until);
    if (same->begin >= same->told) same->begin = one.drift.begin;
    measure(*same, steps);
  }
  all.insert(all.end(), others.begin(), others.end());
  std::ranges::stable_sort(all, {}, &ToldDrift::begin);
  return all;
}

}  // namespace ridgeline::stats
