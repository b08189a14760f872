#include "kernels/fusion/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"

// Tolerances are first-order bounds, one per element. With u the unit roundoff of the element type,
// v that of f32, and the names of fusion.hpp, r is off by at most
//   e = 16 v (|z| + |residual| + |r|)  arithmetic in f32: no step rounds more than a few values
//                                      of these sizes,
//     + u |r|                          where r is stored (Stored::residual),
//     + u (1.13 f |z| + f |g| + |d|)   where z, g and d are, too (Stored::all); f is the mask's
//                                      factor, and 1.13 the steepest slope of GELU.
// The mean is off by the mean of e, and by 4 sqrt(cols) v mean|r| for its sum (as in
// kernels/gemm/oracle.cpp); the deviation s = sqrt(variance + 1e-5) by at most max e + (4
// sqrt(cols) + 4) v s, because the mean of |y| is at most 1. So with y = (r - mean) / s, an output
// is off by at most
//   |gamma| ((e + error of mean) / s + |y| (max e / s + (4 sqrt(cols) + 4) v))
//     + 4 v (|gamma y| + |beta|) + u |out| + t,
// where t is half of the type's smallest subnormal number.

namespace ridgeline::fusion {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 20, fewest_rows = 16;

double gelu(double z) {
  return z / (1 + std::exp(-2 * gelu_factor * z * (1 + gelu_cubic * z * z)));
}

std::vector<float> read(const kernels::Source& source, std::int64_t first, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  if (count > 0) source(first, values);
  return values;
}

/// Parameters of all rows.
struct Parameters {
  std::vector<float> bias, gamma, beta;
};

void expect_row(const Problem& problem, const Sources& sources, const Parameters& parameters,
                Stored stored, std::int64_t row, double* out, double* tolerance) {
  const std::int64_t cols = problem.cols, first = row * cols;
  const double u = problem.dtype == DType::f32 ? 0 : unit_roundoff(problem.dtype),
               v = unit_roundoff(DType::f32);
  const std::vector<float> x = read(sources.x, first, cols),
                           residual = read(sources.residual, first, cols);
  std::vector<double> r(x.size()), error(x.size());
  double sum = 0, magnitude = 0, errors = 0, most = 0;
  for (std::int64_t col = 0; col < cols; ++col) {
    const std::int64_t index = first + col;
    const double factor =
        mask_factor(mask_bits(sources.mask_seed, index / 4), static_cast<int>(index % 4));
    const double z = static_cast<double>(x[col]) + parameters.bias[col], g = gelu(z),
                 d = factor * g;
    r[col] = residual[col] + d;
    error[col] = 16 * v * (std::fabs(z) + std::fabs(residual[col]) + std::fabs(r[col]));
    if (stored != Stored::none) error[col] += u * std::fabs(r[col]);
    if (stored == Stored::all)
      error[col] += u * (1.13 * factor * std::fabs(z) + factor * std::fabs(g) + std::fabs(d));
    sum += r[col];
    magnitude += std::fabs(r[col]);
    errors += error[col];
    most = std::max(most, error[col]);
  }
  const double n = static_cast<double>(cols), sums = 4 * std::sqrt(n) * v, mean = sum / n;
  double squares = 0;
  for (const double value : r) squares += (value - mean) * (value - mean);
  const double s = std::sqrt(squares / n + epsilon), mean_error = errors / n + sums * magnitude / n;
  const double subnormal = problem.dtype == DType::f16 ? 0x1p-25 : 0x1p-134;
  for (std::int64_t col = 0; col < cols; ++col) {
    const double y = (r[col] - mean) / s, gamma = parameters.gamma[col],
                 beta = parameters.beta[col];
    out[col] = y * gamma + beta;
    tolerance[col] =
        std::fabs(gamma) *
            ((error[col] + mean_error) / s + std::fabs(y) * (most / s + sums + 4 * v)) +
        4 * v * (std::fabs(gamma * y) + std::fabs(beta)) + u * std::fabs(out[col]) + subnormal;
  }
}

}  // namespace

Expected expect(const Problem& problem, const Sources& sources, Stored stored, std::uint64_t seed) {
  const std::int64_t most = most_elements / std::max<std::int64_t>(problem.cols, 1);
  return expect_rows(problem, sources, stored,
                     kernels::checked_rows(problem.rows, std::max(fewest_rows, most), seed));
}

Expected expect_rows(const Problem& problem, const Sources& sources, Stored stored,
                     std::vector<std::int64_t> picked) {
  const std::int64_t cols = problem.cols;
  Expected expected{std::move(picked), {}, {}};
  const auto rows = static_cast<std::int64_t>(expected.rows.size());
  expected.out.assign(static_cast<std::size_t>(rows * cols), 0.0);
  expected.tolerance = expected.out;
  const Parameters parameters{read(sources.bias, 0, cols), read(sources.gamma, 0, cols),
                              read(sources.beta, 0, cols)};
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < rows; ++i)
    expect_row(problem, sources, parameters, stored, expected.rows[i],
               expected.out.data() + i * cols, expected.tolerance.data() + i * cols);
  return expected;
}

Sources sources_of(const Problem& problem, const RandomInputs& inputs) {
  const auto source = [&](std::uint64_t first) {
    return kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, first);
  };
  Sources made;
  made.x = source(inputs.x);
  made.bias = source(inputs.bias);
  made.residual = source(inputs.residual);
  made.gamma = source(inputs.gamma);
  made.beta = source(inputs.beta);
  made.mask_seed = inputs.mask_seed;
  return made;
}

std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs,
                                              Stored stored) {
  static kernels::OracleCache<Expected> cache(8);  // 8 * 16 * most_elements bytes = 128 MiB
  const auto [rows, cols, dtype] = problem;
  const auto [distribution, seed, x, bias, residual, gamma, beta, mask_seed] = inputs;
  const std::string key = kernels::key_of("fusion", rows, cols, dtype, stored, distribution, seed,
                                          x, bias, residual, gamma, beta, mask_seed);
  return cache.get(
      key, [&] { return expect(problem, sources_of(problem, inputs), stored, inputs.seed); });
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* out) {
  const std::vector<float> values =
      kernels::download_rows(device, out, problem.dtype, problem.cols, expected.rows);
  const Checked checked = static_cast<std::int64_t>(expected.rows.size()) == problem.rows
                              ? Checked::whole
                              : Checked::sample;
  kernels::Deviation worst{0, 0, checked};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const kernels::Deviation here{std::fabs(values[i] - expected.out[i]), expected.tolerance[i],
                                  checked};
    if (std::isnan(here.error)) return here;
    if (i == 0 || here.error * worst.tolerance > worst.error * here.tolerance) worst = here;
  }
  return worst;
}

}  // namespace ridgeline::fusion
