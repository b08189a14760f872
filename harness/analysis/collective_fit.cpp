#include "harness/analysis/collective_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace {

struct FittedLine {
  FitPiece piece;
  double squares = 0;  // of relative differences
};

/// Least squares of relative differences. Neither a first message nor a byte takes less than no
/// time.
FittedLine fit_line(std::span<const SizedTime> points) {
  // Divided by its time, a point is fixed/t + per_byte * x/t = 1.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const auto& [bytes, ns] : points) {
    const double u = 1 / ns, v = bytes / ns;
    uu += u * u, uv += u * v, vv += v * v, u1 += u, v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  double fixed = u1 / uu, per_byte = 0;
  if (points.size() > 1 && determinant > 1e-12 * uu * vv) {
    fixed = (u1 * vv - v1 * uv) / determinant;
    per_byte = (v1 * uu - u1 * uv) / determinant;
    if (per_byte < 0) fixed = u1 / uu, per_byte = 0;
    if (fixed < 0) fixed = 0, per_byte = v1 / vv;
  }
  FittedLine line{{points.front().bytes, points.back().bytes, fixed, per_byte}};
  for (const auto& [bytes, ns] : points) {
    const double off = (fixed + per_byte * bytes) / ns - 1;
    line.squares += off * off;
  }
  return line;
}

double line_at(const FitPiece& piece, double bytes) {
  return piece.fixed_ns + piece.ns_per_byte * bytes;
}

}  // namespace

double CollectiveFit::at(double bytes) const {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const FitPiece &here = pieces[i], &next = pieces[i + 1];
    if (bytes <= here.to) return line_at(here, bytes);
    if (bytes >= next.from) continue;
    const double begin = line_at(here, here.to), end = line_at(next, next.from);
    const double way = std::log(bytes / here.to) / std::log(next.from / here.to);
    return begin * std::pow(end / begin, way);
  }
  return line_at(pieces.back(), bytes);
}

std::optional<double> CollectiveFit::rate() const {
  const double per_byte = pieces.back().ns_per_byte;
  return per_byte > 0 ? std::optional(1e9 / per_byte) : std::nullopt;
}

std::optional<double> CollectiveFit::half_rate_bytes() const {
  const std::optional<double> whole = rate();
  if (!whole) return std::nullopt;
  const auto reaches = [&](double bytes) { return 1e9 * bytes / at(bytes) >= *whole / 2; };
  if (reaches(smallest())) return std::nullopt;
  // A line reaches half of what it goes towards where its bytes take as long as its fixed time.
  double high = std::max(largest(), pieces.back().fixed_ns / pieces.back().ns_per_byte);
  double low = smallest();
  // From where on it is reached and not lost again: looked for from above.
  const double step = std::pow(2.0, 0.125);
  double bytes = high;
  while (bytes > low && reaches(bytes)) high = bytes, bytes /= step;
  low = std::max(low, bytes);
  for (int i = 0; i < 60; ++i)
    (reaches(std::sqrt(low * high)) ? high : low) = std::sqrt(low * high);
  return high;
}

CollectiveFit fit_collective(std::span<const SizedTime> points, double spread) {
  require(points.size() >= 2 && spread > 0, "a line goes through two points, and noise is not 0");
  for (std::size_t i = 0; i < points.size(); ++i)
    require(points[i].bytes > 0 && points[i].ns > 0 && std::isfinite(points[i].ns) &&
                std::isfinite(points[i].bytes) && (i == 0 || points[i].bytes > points[i - 1].bytes),
            "sizes and times are above 0, and sizes ascend");
  const std::size_t count = points.size();
  // What a line costs: its two numbers and its end, as the Bayesian information criterion has it.
  const double price = 3 * std::log(static_cast<double>(count));
  constexpr std::size_t least = 2;  // points of a line
  std::vector<double> cost(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin_of(count + 1, 0);
  cost[0] = 0;
  for (std::size_t end = least; end <= count; ++end)
    for (std::size_t begin = 0; begin + least <= end; ++begin) {
      const double squares = fit_line(points.subspan(begin, end - begin)).squares;
      const double whole = cost[begin] + squares / (spread * spread) + price;
      if (whole < cost[end]) cost[end] = whole, begin_of[end] = begin;
    }
  CollectiveFit fit;
  double squares = 0;
  for (std::size_t end = count; end > 0; end = begin_of[end]) {
    const FittedLine line = fit_line(points.subspan(begin_of[end], end - begin_of[end]));
    fit.pieces.insert(fit.pieces.begin(), line.piece);
    squares += line.squares;
  }
  fit.residual = std::sqrt(squares / static_cast<double>(count));
  return fit;
}

std::optional<LeftOutSizes> leave_sizes_out(std::span<const SizedTime> points) {
  if (points.size() < 5) return std::nullopt;
  std::vector<SizedTime> fitted, rest;
  for (std::size_t i = 0; i < points.size(); ++i)
    (i % 2 == 0 || i + 1 == points.size() ? fitted : rest).push_back(points[i]);
  const CollectiveFit fit = fit_collective(fitted);
  LeftOutSizes found;
  for (const auto& [bytes, ns] : rest) {
    const double error = std::fabs(fit.at(bytes) / ns - 1);
    ++found.sizes;
    if (error < found.largest_error) continue;
    found.largest_error = error;
    found.at_bytes = bytes;
  }
  return found;
}

double one_way_ns(const Gradients& gradients, double link_bytes_per_s) {
  return 1e9 * gradients.bytes / link_bytes_per_s;
}

double ring_ns(const Gradients& gradients, double link_bytes_per_s) {
  const double others = static_cast<double>(gradients.ranks - 1) / gradients.ranks;
  return 2 * others * one_way_ns(gradients, link_bytes_per_s);
}

ByCurve by_curve(const Gradients& gradients, const CollectiveFit& curve, double scale) {
  ByCurve found;
  found.buckets = std::floor(gradients.bytes / gradients.bucket_bytes);
  found.rest_bytes = gradients.bytes - found.buckets * gradients.bucket_bytes;
  const auto add = [&](double times, double bytes) {
    if (times == 0 || bytes <= 0) return;
    found.ns += times * scale * curve.at(bytes);
    if (bytes < curve.smallest() || bytes > curve.largest()) found.extrapolated = true;
  };
  add(found.buckets, gradients.bucket_bytes);
  add(1, found.rest_bytes);
  return found;
}

}  // namespace ridgeline::analysis
