#include "harness/stats/step_place.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/series_noise.hpp"

namespace ridgeline::stats {
namespace {

/// Nights on either side of a step that tell of its levels: where noise wanders, nights farther
/// away tell of where it wandered.
std::size_t reach_of(const StepNoise& noise) {
  if (noise.phi < .3) return 30;
  if (noise.phi < .6) return 20;
  return noise.phi < .85 ? 10 : 5;
}

std::size_t less(std::size_t from, std::size_t by) { return from - std::min(from, by); }

/// What the nights of `values` after the first cost when the second level begins at `at`.
struct Cost {
  double sum = 0;
  std::size_t far = 0;  // nights that are far from what was expected
};

Cost cost_of(std::span<const double> values, std::size_t at, double before, double after,
             const StepNoise& noise) {
  constexpr double most = 9;
  const double phi = std::min(noise.phi, .98), sd = noise.sd * std::sqrt(1 + phi);
  Cost cost;
  double last = values[0] - (at > 0 ? before : after);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double off = values[i] - (i < at ? before : after), u = (off - phi * last) / sd;
    last = off;
    cost.sum += std::min(u * u, most);
    cost.far += u * u >= most ? 1 : 0;
  }
  return cost;
}

}  // namespace

StepPlace place_step(std::span<const double> values, std::size_t begin, std::size_t guess,
                     std::size_t end, const StepNoise& noise) {
  constexpr std::size_t farthest = 20;
  const std::size_t reach = reach_of(noise);
  StepPlace place{guess, guess, guess};
  for (int again = 0; again < 3; ++again) {
    const std::size_t at = place.at, low = std::max(begin, less(at, reach)),
                      high = std::min(end, at + reach);
    if (at <= low || at >= high) return place;
    const std::span<const double> near = values.subspan(low, high - low);
    const double before = clamped_mean(near.first(at - low), noise.sd),
                 after = clamped_mean(near.subspan(at - low), noise.sd);
    const std::size_t first = std::max(low + 1, less(at, farthest)),
                      last = std::min(high - 1, at + farthest);
    std::vector<Cost> costs;
    for (std::size_t night = first; night <= last; ++night)
      costs.push_back(cost_of(near, night - low, before, after, noise));
    const auto best = std::ranges::min_element(costs, {}, &Cost::sum);
    const bool moved = costs[at - first].sum > best->sum + 1e-9;
    place.at = moved ? first + static_cast<std::size_t>(best - costs.begin()) : at;
    place.earliest = place.latest = place.at;
    const auto nights = static_cast<double>(high - low);
    const bool heavy_tails = 20 * best->far > high - low;  // of which less is sure
    const double excess = 6 * std::max(1.0, best->sum / nights) + (heavy_tails ? 4 : 0);
    for (std::size_t night = first; night <= last; ++night) {
      if (costs[night - first].sum > best->sum + excess) continue;
      place.earliest = std::min(place.earliest, night);
      place.latest = std::max(place.latest, night);
    }
    if (!moved) break;
  }
  return place;
}

StepSize size_step(std::span<const double> values, std::size_t begin, std::size_t at,
                   std::size_t end, const StepNoise& noise) {
  require(begin < at && at < end, "a step has a night on either side");
  // As many nights as are known to vary least: many of white noise, few of what wanders.
  std::size_t after = std::min<std::size_t>(end - at, 2),
              before = std::min<std::size_t>(at - begin, 3);
  const auto half_width = [](double sd, double freedom) {
    return sd * student_t_quantile(.975, freedom);
  };
  double error = half_width(noise.sd * std::sqrt(2 * move_variance(after, before, noise.phi)),
                            std::max(.65 * static_cast<double>(noise.differences), 1.0));
  bool chosen = false;
  for (std::size_t i = 0; i < looks().size(); ++i) {
    const Look& look = looks()[i];
    if (noise.move_sd.empty() || look.after > end - at || look.before > at - begin) continue;
    const double of_look = half_width(noise.move_sd[i], noise.move_freedom[i]);
    if (chosen && of_look >= error) continue;
    chosen = true;
    error = of_look;
    after = look.after;
    before = look.before;
  }
  StepSize size;
  size.before = clamped_mean(values.subspan(at - before, before), noise.sd);
  size.after = clamped_mean(values.subspan(at, after), noise.sd);
  // Either level is anywhere around its tick, where noise does not spread it over several.
  error += std::max(0.0, noise.tick - noise.sd);
  const double step = size.after - size.before;
  size.step = {step - error, step + error};
  return size;
}

}  // namespace ridgeline::stats
