#include "harness/stats/step_slope.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace ridgeline::stats {
namespace {

/// Sums over values so far, from which the squares around a level or a line follow.
struct Sums {
  double n = 0, y = 0, yy = 0;
  void add(double value) {
    ++n;
    y += value;
    yy += value * value;
  }
  Sums operator-(const Sums& other) const { return {n - other.n, y - other.y, yy - other.yy}; }
  double around_level() const { return n > 0 ? yy - y * y / n : 0; }
};

/// Squares that are left around a level up to `begin` and a line from there on, and its slope.
std::pair<double, double> around_slope(std::span<const double> values, std::size_t begin) {
  double sx = 0, sxx = 0, sxy = 0;
  Sums all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = i > begin ? static_cast<double>(i - begin) : 0;
    sx += x;
    sxx += x * x;
    sxy += x * values[i];
    all.add(values[i]);
  }
  const double spread = sxx - sx * sx / all.n, together = sxy - sx * all.y / all.n;
  return {all.around_level() - together * together / spread, together / spread};
}

}  // namespace

std::optional<Slope> slope_of(std::span<const double> values, std::size_t shortest) {
  // So much less is left, in squares of a value's own noise, that a step would seldom look like it.
  constexpr double clearly = 8;
  const std::size_t n = values.size();
  if (n < 2 * shortest || shortest < 2) return {};
  std::vector<double> centred(values.begin(), values.end());
  for (double& value : centred) value -= values.front();  // squares of small numbers
  Sums all, before;
  for (const double value : centred) all.add(value);
  double step = std::numeric_limits<double>::infinity(), slope = step;
  Slope best;
  for (std::size_t i = 0; i < n; ++i) {
    if (i >= shortest) step = std::min(step, before.around_level() + (all - before).around_level());
    before.add(centred[i]);
    if (i + shortest > n - 1) continue;
    const auto [left, a_night] = around_slope(centred, i);
    if (left >= slope) continue;
    slope = left;
    best = {i, a_night};
  }
  const double variance = slope / static_cast<double>(n - 3);
  if (!(step > slope + clearly * variance)) return {};
  return best;
}

}  // namespace ridgeline::stats
