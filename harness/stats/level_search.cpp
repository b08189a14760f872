#include "harness/stats/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

constexpr float outlier_loss = 9;  // of a value three standard deviations off, and of all farther
                                   // ones
constexpr double penalty = 20;     // of a segment in white noise
constexpr double location_excess = 4;  // how much worse a location may be than the best one, in
                                       // white noise
constexpr double steps_a_noise = 5;    // candidate levels in one standard deviation
constexpr double least_sd = 2e-4;      // of logs: closer than any clock reads
constexpr double mad_to_sd = 1.4826;   // of normal noise
constexpr double most_phi = 0.85;

double median_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// Relative to the median, so that adding a constant to the series adds it to every level.
std::vector<double> candidate_levels(std::span<const double> values, double sd) {
  std::vector<double> candidates(values.begin(), values.end());
  for (std::size_t i = 2; i < values.size(); ++i)
    candidates.push_back(median_of_three(values[i - 2], values[i - 1], values[i]));
  for (std::size_t i = 4; i < values.size(); ++i)
    candidates.push_back(
        (values[i - 4] + values[i - 3] + values[i - 2] + values[i - 1] + values[i]) / 5);
  const double centre = median(values), step = sd / steps_a_noise;
  std::vector<std::int64_t> rounded;
  rounded.reserve(candidates.size());
  for (const double level : candidates) rounded.push_back(std::llround((level - centre) / step));
  std::ranges::sort(rounded);
  rounded.erase(std::unique(rounded.begin(), rounded.end()), rounded.end());
  std::vector<double> levels;
  levels.reserve(rounded.size());
  for (const std::int64_t multiple : rounded)
    levels.push_back(centre + static_cast<double>(multiple) * step);
  return levels;
}

}  // namespace

double inflation(const SeriesNoise& noise) { return (1 + noise.phi) / (1 - noise.phi); }

LevelSearch::LevelSearch(std::span<const double> values, const SeriesNoise& noise)
    : values_(values.begin(), values.end()), noise_(noise), last_start_(values.size() + 1, 0) {
  require(noise.sd > 0 && std::isfinite(noise.sd), "noise of a series is positive");
  require(noise.phi >= 0 && noise.phi < 1, "noise of a series keeps a part of a deviation");
  require(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }),
          "a series is finite");
  if (values_.size() < 2 * least_segment) return;
  levels_ = candidate_levels(values_, noise.sd);
  search();
}

// C(n, level): the least cost of the first n values whose last segment has that level; B(n): the
// least over levels.
//   C(n, level) = min(C(n - 1, level) + loss(n), B(n - 3) + beta + the last three losses),
//   B(0) = -beta
// Costs are kept relative to B, within beta and four losses of 0, so that single precision holds
// them.
void LevelSearch::search() {
  const std::size_t levels = levels_.size(), n = values_.size();
  const double beta = penalty * inflation(noise_);
  const float scale = static_cast<float>(1 / noise_.sd);
  std::vector<float> level(levels), cost(levels), losses[3];
  for (auto& loss : losses) loss.resize(levels);
  const double origin = values_.front();  // differences from it are small enough for single
                                          // precision
  for (std::size_t i = 0; i < levels; ++i)
    level[i] = static_cast<float>((levels_[i] - origin) / noise_.sd);
  std::vector<std::int32_t> start(levels, 0);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());  // B
  float lowest = 0;                                                          // of `cost`
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t count = t + 1;
    float* const now = losses[t % 3].data();
    const float* const one = losses[(t + 2) % 3].data();
    const float* const two = losses[(t + 1) % 3].data();
    const auto value = static_cast<float>((values_[t] - origin) * static_cast<double>(scale));
    for (std::size_t i = 0; i < levels; ++i) {
      const float off = value - level[i];
      now[i] = std::min(off * off, outlier_loss);
    }
    if (count < least_segment) continue;
    if (count == least_segment) {
      for (std::size_t i = 0; i < levels; ++i) cost[i] = now[i] + one[i] + two[i];
      best[count] = lowest = *std::min_element(cost.begin(), cost.end());
      continue;
    }
    // Infinite while a segment before the last three values would be too short.
    const auto fresh = static_cast<float>(best[count - least_segment] + beta - best[count - 1]);
    const auto begins = static_cast<std::int32_t>(count - least_segment);
    float* const costs = cost.data();
    std::int32_t* const starts = start.data();
    float least = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < levels; ++i) {
      const float longer = costs[i] - lowest + now[i], cut = fresh + now[i] + one[i] + two[i];
      starts[i] = cut < longer ? begins : starts[i];
      costs[i] = cut < longer ? cut : longer;
      least = costs[i] < least ? costs[i] : least;
    }
    lowest = least;
    best[count] = best[count - 1] + static_cast<double>(least);
    const auto at = std::find(cost.begin(), cost.end(), least) - cost.begin();
    last_start_[count] = static_cast<std::uint32_t>(start[static_cast<std::size_t>(at)]);
  }
}

double LevelSearch::median_of(std::size_t begin, std::size_t end) const {
  const auto [known, added] = medians_.try_emplace(begin << 32 | end, 0);
  if (added) known->second = median(std::span(values_).subspan(begin, end - begin));
  return known->second;
}

std::vector<std::size_t> LevelSearch::points(std::size_t count, double least_step) const {
  require(count <= values_.size(), "a beginning of a series is not longer than it");
  std::vector<std::size_t> found;
  for (std::size_t start = last_start_[count]; start > 0; start = last_start_[start])
    found.push_back(start);
  std::ranges::reverse(found);
  if (found.empty() || least_step <= 0) return found;
  std::vector<double> medians;
  for (std::size_t i = 0; i <= found.size(); ++i)
    medians.push_back(median_of(i == 0 ? 0 : found[i - 1], i == found.size() ? count : found[i]));
  while (!found.empty()) {
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < found.size(); ++i)
      if (std::abs(medians[i + 1] - medians[i]) <
          std::abs(medians[smallest + 1] - medians[smallest]))
        smallest = i;
    if (std::abs(medians[smallest + 1] - medians[smallest]) >= least_step) break;
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(smallest));
    medians.erase(medians.begin() + static_cast<std::ptrdiff_t>(smallest));
    medians[smallest] = median_of(smallest == 0 ? 0 : found[smallest - 1],
                                  smallest == found.size() ? count : found[smallest]);
  }
  return found;
}

LevelSearch::Location LevelSearch::location(const std::vector<std::size_t>& points,
                                            std::size_t which, std::size_t count) const {
  const std::size_t point = points.at(which);
  const std::size_t from =
      std::max(which == 0 ? 0 : points[which - 1], point - std::min(point, reach));
  const std::size_t to =
      std::min(which + 1 == points.size() ? count : points[which + 1], point + reach);
  const std::size_t span = to - from;
  // The least cost of the first, and of the last, so many values of [from, to) as one segment.
  const auto one_segment = [&](bool forward) {
    std::vector<double> sums(levels_.size(), 0), least(span + 1, 0);
    for (std::size_t i = 0; i < span; ++i) {
      const double value = values_[forward ? from + i : to - 1 - i];
      double lowest = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < levels_.size(); ++j) {
        const double off = (value - levels_[j]) / noise_.sd;
        sums[j] += std::min(off * off, static_cast<double>(outlier_loss));
        lowest = std::min(lowest, sums[j]);
      }
      least[i + 1] = lowest;
    }
    return least;
  };
  const std::vector<double> before = one_segment(true), after = one_segment(false);
  const auto cost = [&](std::size_t at) { return before[at - from] + after[to - at]; };
  double best = cost(point);
  for (std::size_t at = from + least_segment; at + least_segment <= to; ++at)
    best = std::min(best, cost(at));
  const double limit = best + location_excess * inflation(noise_);
  Location location{point, point};
  for (std::size_t at = from + least_segment; at + least_segment <= to; ++at) {
    if (cost(at) > limit) continue;
    location.earliest = std::min(location.earliest, at);
    location.latest = std::max(location.latest, at);
  }
  return location;
}

SeriesNoise estimate_noise(std::span<const double> values) {
  require(values.size() >= 2, "noise is estimated from two values or more");
  const auto n = static_cast<double>(values.size());
  const auto spread = [](std::vector<double>& deviations) {
    for (double& deviation : deviations) deviation = std::abs(deviation);
    return mad_to_sd * median(deviations);
  };
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
  SeriesNoise noise{1.3 * std::max(spread(steps) / std::numbers::sqrt2, least_sd), 0.5};
  for (int again = 0; again < 2; ++again) {
    std::vector<std::size_t> bounds = LevelSearch(values, noise).points(values.size(), 0);
    const auto points = static_cast<double>(bounds.size());
    bounds.push_back(values.size());
    std::vector<double> residuals, sums, differences;
    std::size_t begin = 0;
    for (const std::size_t end : bounds) {
      const double level = median(values.subspan(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        residuals.push_back(values[i] - level);
        if (i == begin) continue;
        sums.push_back(residuals[i] + residuals[i - 1]);
        differences.push_back(residuals[i] - residuals[i - 1]);
      }
      begin = end;
    }
    const double sum = spread(sums), difference = spread(differences);
    const double power = sum * sum + difference * difference;
    const double phi =
        (power > 0 ? (sum * sum - difference * difference) / power : 0) + 1 / std::sqrt(n);
    noise.sd = std::max(spread(residuals) * std::sqrt(n / std::max(n - points - 1, 1.0)), least_sd);
    noise.phi = std::clamp(phi, 0.0, most_phi);
  }
  return noise;
}

}  // namespace ridgeline::stats
