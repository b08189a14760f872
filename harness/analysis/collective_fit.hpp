#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

/// How long a collective takes by the size of its message: a fixed time and a time per byte, both
/// of which change where a library changes its protocol or algorithm.
namespace ridgeline::analysis {

/// One measured size.
struct SizedTime {
  double bytes = 0, ns = 0;
};

/// A line that holds for sizes `from` to `to`, both measured.
struct FitPiece {
  double from = 0, to = 0;
  double fixed_ns = 0, ns_per_byte = 0;
};

struct CollectiveFit {
  std::vector<FitPiece> pieces;  // by size
  double residual = 0;           // root mean square of the relative differences at fitted sizes

  /// Time at any size. Between two pieces it goes from one to the other as a power of the size;
  /// beyond the sizes that were measured, the last line goes on.
  double at(double bytes) const;
  double smallest() const { return pieces.front().from; }
  double largest() const { return pieces.back().to; }
  /// Time at the smallest size.
  double latency_ns() const { return at(smallest()); }
  /// Bytes per second that the last line goes towards; absent where its time does not grow.
  std::optional<double> rate() const;
  /// The size from which on half of that rate is reached; absent without a rate, and where half of
  /// it is reached at every size.
  std::optional<double> half_rate_bytes() const;
};

/// Fits lines to `points`, at least two, by ascending size. Relative differences count, so that
/// small sizes do as much as large ones. There are as many lines as pay for themselves: one more
/// must explain more than the noise of `spread`, relative to a time, would.
/// Throws an internal Error for points that cannot be fitted.
CollectiveFit fit_collective(std::span<const SizedTime> points, double spread = 0.03);

/// How well sizes are known that were not measured: a fit of every other point, and of the last,
/// against the rest.
struct LeftOutSizes {
  int sizes = 0;
  double largest_error = 0;  // relative, in absolute value
  double at_bytes = 0;       // where that is
};
/// Absent for fewer than five points.
std::optional<LeftOutSizes> leave_sizes_out(std::span<const SizedTime> points);

/// All gradients of a step, reduced over ranks, bucket after bucket.
struct Gradients {
  double bytes = 0, bucket_bytes = 0;
  int ranks = 2;
};

/// What a step's reduction takes: to copy the gradients once over a link, at the least by a ring,
/// and by a curve of all_reduce.
double one_way_ns(const Gradients& gradients, double link_bytes_per_s);
double ring_ns(const Gradients& gradients, double link_bytes_per_s);

struct ByCurve {
  double ns = 0;
  double buckets = 0;         // whole ones
  double rest_bytes = 0;      // of a last, smaller one
  bool extrapolated = false;  // the curve has no such size
};
/// `scale`: what times of the curve are multiplied by, where it is of another number of ranks.
ByCurve by_curve(const Gradients& gradients, const CollectiveFit& curve, double scale);

}  // namespace ridgeline::analysis
