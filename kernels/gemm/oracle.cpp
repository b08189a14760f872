#include "kernels/gemm/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

// An output c differs from the exact sum r = sum a_p b_p by
//   |c - r| <= u_out |r| + s/2 + (g + t) M,    M = sum |a_p| |b_p|
// with u_out the unit roundoff of the stored type and s its smallest subnormal (the final
// rounding), and
//   g = 4 sqrt(k) u_f32  for sums kept in f32: the probabilistic bound of Higham and Mary (SIAM J.
//                        Sci. Comput. 41, 2019), whose constant 4 fails with a probability below
//                        1e-3 for one element even if every rounding error were at its limit, and
//                        which also covers tensor cores, which truncate where IEEE rounds;
//   t = 4 u_tf32         for tf32, whose two factors are cut to 10 mantissa bits, at most 2 u_tf32
//                        each; 0 otherwise.
// The error reported is what remains of |c - r| after the final rounding, relative to M; the
// tolerance is g + t. For f32 inputs of similar size this notices one missing product up to about
// k = 25000, since a product is M / k.

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

std::shared_ptr<const Expected> expect_random(const Problem& problem,
                                              device::Distribution distribution, std::uint64_t seed,
                                              std::uint64_t a_first, std::uint64_t b_first) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, DType, device::Distribution,
                         std::uint64_t, std::uint64_t, std::uint64_t>;
  static kernels::OracleCache<Key, Expected> cache(8);  // at most 2 * 8 * most_results * 8 bytes =
                                                        // 256 MiB
  const Key key{problem.m,    problem.n, problem.k, problem.dtype,
                distribution, seed,      a_first,   b_first};
  return cache.get(key, [&] {
    return expect(problem, kernels::random_source(problem.dtype, distribution, seed, a_first),
                  kernels::random_source(problem.dtype, distribution, seed, b_first), seed);
  });
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* c) {
  const DType stored = problem.dtype == DType::tf32 ? DType::f32 : problem.dtype;
  const double final_rounding = unit_roundoff(stored);
  const double underflow = stored == DType::f16    ? 0x1p-25
                           : stored == DType::bf16 ? 0x1p-134
                                                   : 0x1p-150;
  kernels::Deviation result;
  result.tolerance = 4.0 * std::sqrt(static_cast<double>(problem.k)) * unit_roundoff(DType::f32);
  if (problem.dtype == DType::tf32) result.tolerance += 4.0 * unit_roundoff(DType::tf32);

  const std::vector<float> values =
      kernels::download_rows(device, c, stored, problem.n, expected.rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double excess = std::fabs(values[i] - expected.c[i]) -
                          final_rounding * std::fabs(expected.c[i]) - underflow;
    if (excess <= 0) continue;  // false for NaN
    const double error = excess / expected.magnitude[i];
    if (!(error <= result.error)) result.error = error;
    if (std::isnan(error)) break;
  }
  return result;
}

}  // namespace ridgeline::gemm
