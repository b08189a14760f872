#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

/// Where the level of a series changes: the segmentation with the least penalised biweight cost (P.
/// Fearnhead, G. Rigaill: Changepoint detection in the presence of outliers, Journal of the
/// American Statistical Association 114 (2019), doi:10.1080/01621459.2017.1385466), with a penalty
/// for noise that follows itself. A value that is far from every level costs the same however far
/// it is, so that an outlier is never a level of its own.
namespace ridgeline::stats {

/// Noise around the levels of a series.
struct SeriesNoise {
  double sd = 0;   // of one value, robust against outliers
  double phi = 0;  // how much of a deviation the next value keeps: 0 to 0.85
};

/// How many times wider than that of independent values the spread of a mean becomes, squared:
/// (1 + phi) / (1 - phi).
double inflation(const SeriesNoise& noise);

/// Values that a segment has at least.
inline constexpr std::size_t least_segment = 3;

/// The best segmentation of every beginning of one series, all found in one pass over it: of n
/// values in n times the number of candidate levels, which are the values and their running medians
/// and means, to a fifth of the noise.
class LevelSearch {
 public:
  /// `values` are copied. Throws Error when one is not finite or the noise is not positive.
  LevelSearch(std::span<const double> values, const SeriesNoise& noise);

  /// Where the segments after the first begin in the best segmentation of the first `count` values,
  /// ascending. Then, while the smallest step between the medians of neighbours is below
  /// `least_step`, those two are made one.
  std::vector<std::size_t> points(std::size_t count, double least_step) const;
  /// The last of `points(count, 0)`, or 0.
  std::size_t last_point(std::size_t count) const { return last_start_.at(count); }
  /// Median of the values from `begin` to before `end`.
  double median_of(std::size_t begin, std::size_t end) const;

  /// Values that the segment behind `points()[which]` may as well begin at: those whose cost is
  /// little above the best one's. Looks at the two neighbouring segments, and at most `reach`
  /// values into either.
  struct Location {
    std::size_t earliest = 0, latest = 0;
  };
  Location location(const std::vector<std::size_t>& points, std::size_t which,
                    std::size_t count) const;

  const SeriesNoise& noise() const { return noise_; }

 private:
  void search();

  static constexpr std::size_t reach = 60;
  std::vector<double> values_;
  SeriesNoise noise_;
  std::vector<double> levels_;             // candidates, ascending
  std::vector<std::uint32_t> last_start_;  // by count: where the last segment of the first `count`
                                           // values begins
  mutable std::unordered_map<std::uint64_t, double> medians_;  // by begin and end
};

/// Estimated from the series itself: the deviations from the medians of its segments, which are
/// found with a first guess of the noise, and once more. Throws Error for fewer than 2 values.
SeriesNoise estimate_noise(std::span<const double> values);

}  // namespace ridgeline::stats
