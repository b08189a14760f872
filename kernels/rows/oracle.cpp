#include "kernels/rows/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

// Tolerances are first-order bounds, one per element, where nothing else is said. With u the unit
// roundoff of the element type (0 of f32), v that of f32, n terms in a sum, w = 4 sqrt(n) v for
// what a sum of n loses relative to the sum of its magnitudes (as in kernels/gemm/oracle.cpp), and
// t for underflow:
//   softmax   An exponential of x - m loses a few v by itself and a few v |x - m| because its
//             argument is rounded; the sum loses that of its terms, weighted as they are: y (8 v (4
//             + |x - m| + sum(p |x - m|)) + w) + u y + t.
//   forward   mean is off by d = (w + v) mean|x|; relative to itself, rstd by q = w + 8 v, and of
//             LayerNorm by d rstd + (d rstd)^2 more: the second term counts where the row's
//             deviation is small against d. out is off by
//             |gamma| (d rstd + |y| q) + 4 v (|gamma y| + |beta|) + u |out| + t.
//   backward  h is off by e = 4 v (|x| + |mean|) |rstd|, A by a = (w + 4 v) mean|c|, B by
//             b = (w + 4 v) mean|c h| + mean(|c| e), and dx by
//             |rstd| (4 v (|c| + |A| + |h B|) + a + |h| b + e |B|) + u |dx| + t;
//             dgamma by (w + 4 v) sum|dy h| + sum(|dy| e), and dbeta by (w + 4 v) sum|dy|.

namespace ridgeline::rows {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 20, fewest_rows = 16;
constexpr double v = 0x1p-24;  // unit roundoff of f32

double sum_loses(std::int64_t terms) { return 4 * std::sqrt(static_cast<double>(terms)) * v; }

std::vector<float> read(const kernels::Source& source, std::int64_t first, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  if (count > 0) source(first, values);
  return values;
}

/// One row as the oracle sees it, and where its results go.
struct Row {
  std::span<const float> x, dy, gamma, beta;
  double rstd, mean;  // inputs, backward
  double u, t;
  double *out, *tolerance;
};

void softmax(const Row& row) {
  const std::size_t cols = row.x.size();
  const double most = *std::ranges::max_element(row.x);
  double sum = 0, spread = 0;
  for (const double x : row.x) {
    const double power = std::exp(x - most);
    sum += power;
    if (power > 0) spread += power * (most - x);
  }
  const double loses = sum_loses(static_cast<std::int64_t>(cols));
  for (std::size_t i = 0; i < cols; ++i) {
    const double apart = most - row.x[i],
                 y = most == -std::numeric_limits<double>::infinity() ? 0 : std::exp(-apart) / sum;
    row.out[i] = y;
    row.tolerance[i] =
        row.t + (y > 0 ? y * (8 * v * (4 + apart + spread / sum) + loses + row.u) : 0);
  }
}

/// Mean and rstd, and by how much they may be off.
struct Moments {
  double mean = 0, mean_error = 0, rstd = 0, rstd_error = 0;
};

Moments forward(const Row& row, bool layer) {
  const double n = static_cast<double>(row.x.size());
  const double loses = sum_loses(static_cast<std::int64_t>(row.x.size()));
  Moments of;
  if (layer) {
    double sum = 0, size = 0;
    for (const double x : row.x) {
      sum += x;
      size += std::fabs(x);
    }
    of.mean = sum / n;
    of.mean_error = (loses + v) * size / n;
  }
  double squares = 0;
  for (const double x : row.x) squares += (x - of.mean) * (x - of.mean);
  of.rstd = 1 / std::sqrt(squares / n + epsilon);
  const double shifted = of.mean_error * of.rstd,
               relative = loses + 8 * v + shifted + shifted * shifted;
  of.rstd_error = of.rstd * relative;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const double gamma = row.gamma[i], beta = layer ? row.beta[i] : 0,
                 y = (row.x[i] - of.mean) * of.rstd;
    row.out[i] = y * gamma + beta;
    row.tolerance[i] = std::fabs(gamma) * (shifted + std::fabs(y) * relative) +
                       4 * v * (std::fabs(gamma * y) + std::fabs(beta)) +
                       row.u * std::fabs(row.out[i]) + row.t;
  }
  return of;
}

void backward(const Row& row, bool layer) {
  const double n = static_cast<double>(row.x.size()), mean = layer ? row.mean : 0;
  const double loses = sum_loses(static_cast<std::int64_t>(row.x.size())) + 4 * v;
  const auto h_error = [&](std::size_t i) {
    return 4 * v * (std::fabs(row.x[i]) + std::fabs(mean)) * std::fabs(row.rstd);
  };
  const auto h_of = [&](std::size_t i) { return (row.x[i] - mean) * row.rstd; };
  const auto c_of = [&](std::size_t i) { return static_cast<double>(row.dy[i]) * row.gamma[i]; };
  double a = 0, a_size = 0, b = 0, b_size = 0, b_error = 0;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const double c = c_of(i), h = h_of(i);
    a += c / n;
    a_size += std::fabs(c) / n;
    b += c * h / n;
    b_size += std::fabs(c * h) / n;
    b_error += std::fabs(c) * h_error(i) / n;
  }
  if (!layer) a = a_size = 0;
  b_error += loses * b_size;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const double c = c_of(i), h = h_of(i);
    row.out[i] = row.rstd * (c - a - h * b);
    row.tolerance[i] = std::fabs(row.rstd) *
                           (4 * v * (std::fabs(c) + std::fabs(a) + std::fabs(h * b)) +
                            loses * a_size + std::fabs(h) * b_error + h_error(i) * std::fabs(b)) +
                       row.u * std::fabs(row.out[i]) + row.t;
  }
}

/// A column's sums over all rows.
void sum_column(const Problem& problem, const Sources& sources, const std::vector<float>& rstds,
                const std::vector<float>& means, std::int64_t col, std::size_t place,
                Expected& expected) {
  const double loses = sum_loses(problem.rows) + 4 * v;
  double gradient = 0, size = 0, error = 0, bias = 0, bias_size = 0;
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    float x = 0, dy = 0;
    sources.x(row * problem.cols + col, {&x, 1});
    sources.dy(row * problem.cols + col, {&dy, 1});
    const double mean = problem.is_layer() ? means[static_cast<std::size_t>(row)] : 0,
                 rstd = rstds[static_cast<std::size_t>(row)], h = (x - mean) * rstd;
    gradient += dy * h;
    size += std::fabs(dy * h);
    error += 4 * v * std::fabs(dy * rstd) * (std::fabs(x) + std::fabs(mean));
    bias += dy;
    bias_size += std::fabs(dy);
  }
  expected.side[place] = gradient;
  expected.side_tolerance[place] = loses * size + error + 0x1p-126;
  if (!problem.is_layer()) return;
  expected.side[expected.places.size() + place] = bias;
  expected.side_tolerance[expected.places.size() + place] = loses * bias_size + 0x1p-126;
}

}  // namespace

double Problem::flops() const {
  const double each = operation == Operation::softmax             ? 5
                      : operation == Operation::rms_norm          ? 4
                      : operation == Operation::layer_norm        ? 7
                      : operation == Operation::rms_norm_backward ? 9
                                                                  : 13;
  return each * static_cast<double>(elements());
}

double Problem::bytes() const {
  const double arrays = is_backward() ? 3 : 2, parameters = is_backward() ? 1 : sides();
  const auto size = static_cast<double>(size_of(dtype));
  // What forward keeps of each row is read backward.
  const double kept = is_norm() ? 4.0 * sides() * static_cast<double>(rows) : 0,
               gradients = is_backward() ? 4.0 * sides() * static_cast<double>(cols) : 0;
  return size *
             (arrays * static_cast<double>(elements()) + parameters * static_cast<double>(cols)) +
         kept + gradients;
}

Expected expect(const Problem& problem, const Sources& sources, std::uint64_t seed) {
  const auto most = [](std::int64_t others) {
    return std::max(fewest_rows, most_elements / std::max<std::int64_t>(others, 1));
  };
  return expect_parts(problem, sources,
                      kernels::checked_rows(problem.rows, most(problem.cols), seed),
                      kernels::checked_rows(problem.cols, most(problem.rows), seed));
}

Expected expect_parts(const Problem& problem, const Sources& sources,
                      std::vector<std::int64_t> rows, std::vector<std::int64_t> columns) {
  const std::int64_t cols = problem.cols;
  const bool layer = problem.is_layer(), backwards = problem.is_backward();
  Expected expected{std::move(rows), {}, {}, {}, {}, {}};
  if (problem.is_norm()) expected.places = backwards ? std::move(columns) : expected.rows;
  const std::size_t picked = expected.rows.size(), places = expected.places.size();
  expected.out.assign(picked * static_cast<std::size_t>(cols), 0.0);
  expected.tolerance = expected.out;
  expected.side.assign(places * static_cast<std::size_t>(problem.sides()), 0.0);
  expected.side_tolerance = expected.side;
  const auto read_if = [](bool wanted, const kernels::Source& source, std::int64_t count) {
    return wanted ? read(source, 0, count) : std::vector<float>();
  };
  const std::vector<float> gamma = read_if(problem.is_norm(), sources.gamma, cols),
                           beta = read_if(layer && !backwards, sources.beta, cols),
                           rstds = read_if(backwards, sources.rstd, problem.rows),
                           means = read_if(layer && backwards, sources.mean, problem.rows);
  const double u = problem.dtype == DType::f32 ? 0 : unit_roundoff(problem.dtype),
               t = 0x1p-125 + (problem.dtype == DType::f32 ? 0 : 0x1p-134);
  if (cols == 0) {  // a mean of nothing: what is kept of such rows means nothing
    expected.places.clear();
    expected.side.clear();
    expected.side_tolerance.clear();
    return expected;
  }
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < picked; ++i) {
    const std::int64_t at = expected.rows[i];
    const std::vector<float> x = read(sources.x, at * cols, cols),
                             dy = backwards ? read(sources.dy, at * cols, cols)
                                            : std::vector<float>();
    const auto number = static_cast<std::size_t>(at);
    const Row row{x,
                  dy,
                  gamma,
                  beta,
                  backwards ? rstds[number] : 0,
                  layer && backwards ? means[number] : 0,
                  u,
                  t,
                  expected.out.data() + i * x.size(),
                  expected.tolerance.data() + i * x.size()};
    if (!problem.is_norm()) {
      softmax(row);
    } else if (backwards) {
      backward(row, layer);
    } else {
      const Moments of = forward(row, layer);
      expected.side[i] = of.rstd;
      expected.side_tolerance[i] = of.rstd_error;
      if (!layer) continue;
      expected.side[places + i] = of.mean;
      expected.side_tolerance[places + i] = of.mean_error + v * std::fabs(of.mean);
    }
  }
  if (!backwards) return expected;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < places; ++i)
    sum_column(problem, sources, rstds, means, expected.places[i], i, expected);
  return expected;
}

Sources sources_of(const Problem& problem, const RandomInputs& inputs) {
  const auto source = [&](DType dtype, std::uint64_t first) {
    return kernels::random_source(dtype, inputs.distribution, inputs.seed, first);
  };
  Sources sources;
  sources.x = source(problem.dtype, inputs.x);
  sources.dy = source(problem.dtype, inputs.dy);
  sources.gamma = source(problem.dtype, inputs.gamma);
  sources.beta = source(problem.dtype, inputs.beta);
  sources.rstd = source(DType::f32, inputs.rstd);
  sources.mean = source(DType::f32, inputs.mean);
  return sources;
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* out) {
  std::vector<float> values =
      kernels::download_rows(device, out, problem.dtype, problem.cols, expected.rows);
  std::vector<double> right = expected.out, tolerance = expected.tolerance;
  const auto length = static_cast<std::size_t>(problem.side_length());
  std::vector<float> side(length);
  for (int number = 0; number < problem.sides() && !expected.places.empty(); ++number) {
    const auto* const from = static_cast<const std::byte*>(out) + problem.side_offset() +
                             number * problem.side_stride() * 4;
    device.download(side.data(), from, length * sizeof(float));
    for (const std::int64_t place : expected.places)
      values.push_back(side[static_cast<std::size_t>(place)]);
  }
  right.insert(right.end(), expected.side.begin(), expected.side.end());
  tolerance.insert(tolerance.end(), expected.side_tolerance.begin(), expected.side_tolerance.end());
  const bool all_columns =
      !problem.is_backward() || expected.places.size() == static_cast<std::size_t>(problem.cols);
  const Checked checked =
      all_columns && static_cast<std::int64_t>(expected.rows.size()) == problem.rows
          ? Checked::whole
          : Checked::sample;
  kernels::Deviation worst{0, 0, checked};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const kernels::Deviation here{std::fabs(values[i] - right[i]), tolerance[i], checked};
    if (std::isnan(here.error)) return here;
    if (i == 0 || here.error * worst.tolerance > worst.error * here.tolerance) worst = here;
  }
  return worst;
}

}  // namespace ridgeline::rows
