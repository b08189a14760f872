#include "harness/stats/series_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

constexpr double same = 1e-9;  // of logs: closer than any clock reads

/// Median of `values`, which it reorders.
double middle_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

double capped_spread(std::vector<double> deviations, double least) {
  if (deviations.empty()) return least;
  for (double& one : deviations) one = std::abs(one);
  const double cap = 2.7 * std::max(1.4826 * middle_of(deviations), least);
  double sum = 0;
  for (const double one : deviations) sum += std::min(one, cap) * std::min(one, cap);
  return std::max(std::sqrt(sum / static_cast<double>(deviations.size())), least);
}

double clamped_mean_of_sorted(std::span<const double> ascending, double sd) {
  const double centre = median_of_sorted(ascending);
  double sum = 0;
  for (const double value : ascending) sum += std::clamp(value - centre, -2 * sd, 2 * sd);
  return centre + sum / static_cast<double>(ascending.size());
}

double clamped_mean(std::span<const double> values, double sd) {
  return clamped_mean_of_sorted(sorted(values), sd);
}

double move_variance(std::size_t after, std::size_t before, double phi) {
  require(after > 0 && before > 0, "a move is one between two nights or more");
  const auto g = static_cast<double>(after), h = static_cast<double>(before);
  double total = 0, power = 1;  // minus the sum over pairs k apart of their weights times V(k)
  for (double k = 1; k < g + h; ++k) {
    power *= phi;
    const double v = phi < 1 ? (1 - power) / (1 - phi) : k;
    const double pairs_after = std::max(g - k, 0.0), pairs_before = std::max(h - k, 0.0),
                 pairs_across = std::min({k, g, h, g + h - k});
    total -= v * (pairs_after / (g * g) + pairs_before / (h * h) - pairs_across / (g * h));
  }
  return total;
}

double carried_over(double v1, double v2, double v4) {
  double low = 0, high = 1;
  for (int halving = 0; halving < 12; ++halving) {
    const double phi = (low + high) / 2;
    (1 + phi + phi * phi + phi * phi * phi < v4 / v1 ? low : high) = phi;
  }
  return std::clamp(std::max(v2 / v1 - 1, low), 0.0, 1.0);
}

double visible_tick(const std::vector<double>& magnitudes) {
  const auto repeats = std::ranges::count_if(magnitudes, [](double one) { return one <= same; });
  if (5 * repeats < std::ssize(magnitudes)) return 0;
  std::vector<double> ascending = magnitudes;
  std::ranges::sort(ascending);
  for (auto one = ascending.begin() + repeats; one != ascending.end() && one + 1 != ascending.end();
       ++one)
    if (*(one + 1) - *one < same) return *(one + 1);
  return 0;
}

}  // namespace ridgeline::stats
