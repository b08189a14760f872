#include "kernels/gemm/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/gemm/measure.hpp"
#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"

namespace ridgeline::gemm {
namespace {

// Rows are sampled so that checking stays around a second: at most this many multiplications and
// results, but 8 rows at least.
constexpr std::int64_t most_products = std::int64_t{1} << 27, most_results = std::int64_t{1} << 21,
                       fewest_rows = 8;

std::int64_t most_rows(const Problem& problem) {
  const std::int64_t columns = std::max<std::int64_t>(problem.n, 1),
                     products = columns * std::max<std::int64_t>(problem.k, 1);
  return std::max(fewest_rows, std::min(most_products / products, most_results / columns));
}

}  // namespace

Expected expect(const Problem& problem, const kernels::Source& a, const kernels::Source& b,
                std::uint64_t seed) {
  const auto [m, n, k, dtype] = problem;
  Expected expected{kernels::checked_rows(m, most_rows(problem), seed), {}, {}};
  const auto rows = static_cast<std::int64_t>(expected.rows.size());
  expected.c.assign(static_cast<std::size_t>(rows * n), 0.0);
  expected.magnitude.assign(static_cast<std::size_t>(rows * n), 0.0);

  std::vector<float> a_rows(static_cast<std::size_t>(rows * k));
  for (std::int64_t i = 0; i < rows; ++i)
    a(expected.rows[i] * k,
      std::span(a_rows).subspan(static_cast<std::size_t>(i * k), static_cast<std::size_t>(k)));

  constexpr std::int64_t width = 256;  // columns that one thread takes at a time: B is made once,
                                       // row piece by row piece
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t begin = 0; begin < n; begin += width) {
    const std::int64_t count = std::min(width, n - begin);
    std::vector<float> b_piece(static_cast<std::size_t>(count));
    for (std::int64_t p = 0; p < k; ++p) {
      b(p * n + begin, b_piece);
      for (std::int64_t i = 0; i < rows; ++i) {
        const double factor = a_rows[i * k + p];
        double* c = expected.c.data() + i * n + begin;
        double* magnitude = expected.magnitude.data() + i * n + begin;
        for (std::int64_t j = 0; j < count; ++j) {
          c[j] += factor * b_piece[j];
          magnitude[j] += std::fabs(factor * b_piece[j]);
        }
      }
    }
  }
  return expected;
}

kernels::Source source_of_a(const Problem& problem, const RandomInputs& inputs) {
  auto elements =
      kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, inputs.a_first);
  if (!is_e4m3(problem.dtype)) return elements;
  return [elements, scale = scale_of(problem.dtype)](std::int64_t first, std::span<float> to) {
    elements(first, to);
    for (float& value : to) value *= scale;  // exactly: a factor has 4 bits, the scale 6
  };
}

kernels::Source source_of_b(const Problem& problem, const RandomInputs& inputs) {
  if (!is_e4m3(problem.dtype))
    return kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, inputs.b_first);
  return [problem, inputs](std::int64_t first, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i), row = at / problem.n,
                         column = at % problem.n;
      to[i] = static_cast<float>(device::random_element(
          problem.dtype, inputs.distribution, inputs.seed,
          inputs.b_first + static_cast<std::uint64_t>(column * problem.k + row)));
    }
  };
}

std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs) {
  static kernels::OracleCache<Expected> cache(8);  // 2 * 8 * most_results * 8 bytes = 256 MiB
  const auto [m, n, k, dtype] = problem;
  const auto [distribution, seed, a_first, b_first] = inputs;
  const std::string key =
      kernels::key_of("gemm", m, n, k, dtype, distribution, seed, a_first, b_first);
  return cache.get(key, [&] {
    return expect(problem, source_of_a(problem, inputs), source_of_b(problem, inputs), inputs.seed);
  });
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* c, device::Distribution inputs) {
  const Measure of = measure(problem, inputs);
  const bool whole = static_cast<std::int64_t>(expected.rows.size()) == problem.m;
  kernels::Deviation result{0, of.tolerance, whole ? Checked::whole : Checked::sample};

  const std::vector<float> values =
      kernels::download_rows(device, c, stored_as(problem.dtype), problem.n, expected.rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double excess = std::fabs(values[i] - expected.c[i]) -
                          of.final_rounding * std::fabs(expected.c[i]) - of.underflow;
    if (excess <= 0) continue;  // false for NaN
    const double error = excess / expected.magnitude[i];
    if (!(error <= result.error)) result.error = error;
    if (std::isnan(error)) break;
  }
  return result;
}

}  // namespace ridgeline::gemm
