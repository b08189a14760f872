#include "harness/analysis/gate_power.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double z_power = 0.842;      // 80% of a normal distribution lie below
constexpr double z_interval = 2.563;   // width of its middle 80%
constexpr double z_quartiles = 1.349;  // and of its middle half
constexpr int most_pairs = 10'000;     // that anybody is told of

double mean_of(std::span<const double> values) {
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double plain_sd(std::span<const double> values) {
  const double middle = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Few pairs that lie close together, far above delta.
bool is_cluster(std::span<const double> differences, double delta, int cases) {
  const std::size_t n = differences.size();
  const double least = n >= 6 ? delta : std::max(delta, std::log(slower_in_few));
  if (n < 3 || std::ranges::min(differences) <= least) return false;
  const double t = stats::student_t_quantile(1 - cluster_p / cases, static_cast<double>(n - 1));
  return mean_of(differences) - delta >=
         t * plain_sd(differences) / std::sqrt(static_cast<double>(n));
}

}  // namespace

int least_pairs(double level) {
  require(level > 0 && level < 1, "a level lies between 0 and 1");
  return static_cast<int>(std::ceil(-std::log2(level) - 1e-9));
}

double smallest_found(int pairs, double sd, double delta, double shift, double level) {
  const int least = least_pairs(level);
  if (pairs < least) return stats::unbounded;
  const double error = sd / std::sqrt(static_cast<double>(pairs));
  // What capped ranks and the steps of their p values cost, most of it with few pairs.
  const double coarse = 1.25 + 0.5 / (1 + (pairs - least) / 2.0);
  return std::max(delta + 1.25 * z_power * error,
                  shift * delta + coarse * (stats::normal_quantile_above(level) + z_power) * error);
}

std::optional<double> scatter(std::span<const double> differences) {
  const std::size_t n = differences.size();
  if (n < 3) return std::nullopt;
  if (n < 8) return plain_sd(differences);
  const stats::Interval interval = stats::signed_rank_interval(differences, 0.8);
  // Of two values that take turns, the means of pairs lie on three points, and the interval may
  // hold the middle one alone, as if nothing scattered.
  const double middle_half =
      stats::quantile(differences, 0.75) - stats::quantile(differences, 0.25);
  return std::max((interval.high - interval.low) / z_interval * std::sqrt(static_cast<double>(n)),
                  middle_half / z_quartiles);
}

std::optional<record::Doubt> doubt_of(std::span<const double> differences, double delta,
                                      int cases) {
  require(cases >= 1, "a gate compares at least one case");
  if (differences.empty()) return std::nullopt;
  if (stats::signed_rank(differences, delta).up <= exact_doubt_p / cases)
    return record::Doubt::exact;
  const double large = std::max(delta, std::log(much_slower));
  if (stats::signed_rank(differences, large).up <= seems_slower_p) return record::Doubt::large;
  if (is_cluster(differences, delta, cases)) return record::Doubt::cluster;
  const double vast = std::max(delta, std::log(times_slower));
  if (std::ssize(differences) < least_pairs(seems_slower_p) && std::ranges::min(differences) > vast)
    return record::Doubt::large;
  return std::nullopt;
}

std::optional<int> more_pairs(std::span<const double> differences, double delta, double shift,
                              double level) {
  const auto n = static_cast<int>(differences.size());
  if (n == 0) return std::nullopt;
  const double estimate = stats::signed_rank_estimate(differences);
  if (estimate < delta - stats::same_log_ratio) return std::nullopt;
  const bool seems_slower = n < 6 ? std::ranges::min(differences) > delta
                                  : stats::signed_rank(differences, delta).up <= seems_slower_p;
  if (!seems_slower) return std::nullopt;
  const double sd = scatter(differences).value_or(0);
  for (int pairs = n + 1; pairs <= most_pairs; ++pairs)
    if (smallest_found(pairs, sd, delta, shift, level) <= estimate) return pairs - n;
  return std::nullopt;
}

}  // namespace ridgeline::analysis
