#include "kernels/attention/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"

// Every checked row has its own tolerance: outputs of a row that sees many keys are averages, far
// smaller than those of the first causal rows, and so are their errors. With p the exact
// probabilities of a row and u the unit roundoff of the element type,
//   tolerance = 2 max|plain - exact| + 2 u max|exact| + 6 u max r
//             + u_f32 (2 (dim + 4) s + 8) max sum p |v|,
// where maxima are over the row's outputs, sums over its keys, r is explained below, and s = max
// over keys of sum |q k| / sqrt(dim):
// - plain is the same formula in plain steps of the problem's precision (f32 sums; scores,
//   probabilities and outputs rounded to the element type); another order of steps may err twice as
//   much. With few keys its errors may cancel by chance, so that it bounds nothing alone.
// - The output is rounded once, by at most u |o|, and what is rounded is itself a little off.
// - Before the second product each probability may be rounded, exp(score - largest) in place of p
//   too: p_j (1 + e_j), |e_j| <= u, moves an output o by sum e_j p_j v_j. Scores s_j may be rounded
//   as well, s_j (1 + f_j), |f_j| <= u, which moves it by sum f_j s_j p_j (v_j - o) to first order.
//   For independent roundings of mean 0, with r the root of the sum of the squares of all these
//   products, the sum exceeds t u r with probability at most 2 exp(-t^2 / 2) (Hoeffding): at t = 6,
//   3e-8 per output. Below 2^-14 f16 errs by 2^-25 instead, less than that beside the largest,
//   which is 1.
// - In f32, a score in any order of sums is off by at most (dim + 4) u_f32 s to first order,
//   scaling included, which changes every p by that ratio and an output by at most 2 sum p |v| of
//   it; exponentials and a few sums take 8 more. Longer sums err in plain too.

namespace ridgeline::attention {
namespace {

// Rows are sampled so that checking stays around a second; the inputs of a head are made once for
// all its rows.
constexpr std::int64_t most_products = std::int64_t{1} << 27, most_inputs = std::int64_t{1} << 25;
constexpr std::int64_t fewest_heads = 2, fewest_rows = 4;

std::vector<float> read(const kernels::Source& source, std::int64_t first, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  constexpr std::int64_t piece = 1 << 14;
#pragma omp parallel for
  for (std::int64_t begin = 0; begin < count; begin += piece)
    source(first + begin,
           std::span(values).subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(std::min(piece, count - begin))));
  return values;
}

float round_to(DType dtype, float value) {
  if (dtype == DType::f16) return from_f16(to_f16(value));
  return dtype == DType::bf16 ? from_bf16(to_bf16(value)) : value;
}

/// How much the steps of a row magnify roundings; maxima over its outputs.
struct Sensitivity {
  double score = 0;   // max over keys of sum |q k| / sqrt(dim)
  double values = 0;  // max sum p |v|
  double spread = 0;  // max r, the root of a sum of squares over its keys
};

/// One row of the output from one query and the `keys` keys it sees, with all steps in Real and
/// `round` after each stage. Says how sensitive the row is when Real is double.
template <class Real, class Round>
Sensitivity attend(const float* q, const float* k, const float* v, std::int64_t keys,
                   std::int64_t dim, Round round, double* o) {
  constexpr bool sensitive = std::is_same_v<Real, double>;  // of the exact row alone it is asked
  std::vector<Real> p(static_cast<std::size_t>(keys)), scores(p.size());
  const Real scale = 1 / std::sqrt(static_cast<Real>(dim));
  Real largest = -std::numeric_limits<Real>::infinity(), sum = 0, most = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    Real score = 0, magnitude = 0;
    for (std::int64_t d = 0; d < dim; ++d) {
      const Real product = static_cast<Real>(q[d]) * static_cast<Real>(k[j * dim + d]);
      score += product;
      if (sensitive) magnitude += std::fabs(product);
    }
    most = std::max(most, magnitude * scale);
    p[j] = scores[j] = round(score * scale);
    largest = std::max(largest, p[j]);
  }
  for (Real& value : p) sum += value = std::exp(value - largest);
  std::vector<Real> result(static_cast<std::size_t>(dim), Real{0}), magnitudes = result,
                                                                    squares = result;
  for (std::int64_t j = 0; j < keys; ++j) {
    const Real probability = round(p[j] / sum);
    for (std::int64_t d = 0; d < dim; ++d) {
      const Real part = probability * static_cast<Real>(v[j * dim + d]);
      result[d] += part;
      if (!sensitive) continue;
      magnitudes[d] += std::fabs(part);
      squares[d] += part * part;
    }
    p[j] = probability;
  }
  for (std::int64_t j = 0; j < keys && sensitive; ++j) {
    for (std::int64_t d = 0; d < dim; ++d) {
      const Real part = scores[j] * p[j] * (static_cast<Real>(v[j * dim + d]) - result[d]);
      squares[d] += part * part;
    }
  }
  for (std::int64_t d = 0; d < dim; ++d) o[d] = static_cast<double>(round(result[d]));
  return {static_cast<double>(most), static_cast<double>(std::ranges::max(magnitudes)),
          std::sqrt(static_cast<double>(std::ranges::max(squares)))};
}

double tolerance(const Problem& problem, const Sensitivity& of, std::span<const double> exact,
                 std::span<const double> plain) {
  double error = 0, output = 0;
  for (std::size_t d = 0; d < exact.size(); ++d) {
    error = std::max(error, std::fabs(plain[d] - exact[d]));
    output = std::max(output, std::fabs(exact[d]));
  }
  const double u = unit_roundoff(problem.dtype), dim = static_cast<double>(problem.dim);
  return 2 * error + u * (2 * output + 6 * of.spread) +
         unit_roundoff(DType::f32) * (2 * (dim + 4) * of.score + 8) * of.values;
}

}  // namespace

Expected expect_head(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                     const kernels::Source& v, std::int64_t head,
                     const std::vector<std::int64_t>& picked) {
  const std::int64_t seq = problem.seq, dim = problem.dim, head_size = seq * dim;
  const DType dtype = problem.dtype;
  const std::int64_t kv_first = head / problem.group() * head_size;
  const std::vector<float> keys = read(k, kv_first, head_size),
                           values = read(v, kv_first, head_size);
  const auto count = static_cast<std::int64_t>(picked.size());
  Expected expected;
  expected.o.resize(static_cast<std::size_t>(count * dim));
  expected.tolerances.resize(picked.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t r = 0; r < count; ++r) {
    std::vector<float> query(static_cast<std::size_t>(dim));
    q(head * head_size + picked[r] * dim, query);
    const std::int64_t seen = problem.mask == Mask::causal ? picked[r] + 1 : seq;
    const std::span<double> row(&expected.o[static_cast<std::size_t>(r * dim)],
                                static_cast<std::size_t>(dim));
    std::vector<double> plain(row.size());
    const Sensitivity of = attend<double>(
        query.data(), keys.data(), values.data(), seen, dim, [](double x) { return x; },
        row.data());
    attend<float>(
        query.data(), keys.data(), values.data(), seen, dim,
        [=](float x) { return round_to(dtype, x); }, plain.data());
    expected.tolerances[static_cast<std::size_t>(r)] = tolerance(problem, of, row, plain);
  }
  for (const std::int64_t row : picked) expected.rows.push_back(head * seq + row);
  return expected;
}

Expected expect(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                const kernels::Source& v, std::uint64_t seed) {
  const std::int64_t seq = problem.seq, head_size = seq * problem.dim;
  Expected expected;
  if (problem.elements() == 0) return expected;
  const auto heads = kernels::checked_rows(
      problem.all_heads(), std::max(fewest_heads, most_inputs / (2 * head_size)), seed);
  const std::int64_t products = 2 * head_size * static_cast<std::int64_t>(heads.size());
  const std::int64_t rows_a_head = std::max(fewest_rows, most_products / products);
  for (const std::int64_t head : heads) {
    const Expected of_head = expect_head(
        problem, q, k, v, head,
        kernels::checked_rows(seq, rows_a_head, seed + static_cast<std::uint64_t>(head)));
    expected.rows.insert(expected.rows.end(), of_head.rows.begin(), of_head.rows.end());
    expected.o.insert(expected.o.end(), of_head.o.begin(), of_head.o.end());
    expected.tolerances.insert(expected.tolerances.end(), of_head.tolerances.begin(),
                               of_head.tolerances.end());
  }
  return expected;
}

std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs) {
  // A result has at most most_products / (2 * seq) rows: some MiB.
  static kernels::OracleCache<Expected> cache(8);
  const auto [batch, heads, seq, dim, mask, dtype, kv_heads] = problem;
  const auto [distribution, seed, q_first, k_first, v_first] = inputs;
  const std::string key = kernels::key_of("attention", batch, heads, seq, dim, mask, dtype,
                                          kv_heads, distribution, seed, q_first, k_first, v_first);
  return cache.get(key, [&] {
    const auto source = [&](std::uint64_t first) {
      return kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, first);
    };
    return expect(problem, source(inputs.q_first), source(inputs.k_first), source(inputs.v_first),
                  inputs.seed);
  });
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* o) {
  const std::vector<float> values =
      kernels::download_rows(device, o, problem.dtype, problem.dim, expected.rows);
  const auto dim = static_cast<std::size_t>(problem.dim);
  const Checked checked =
      static_cast<std::int64_t>(expected.rows.size()) == problem.all_heads() * problem.seq
          ? Checked::whole
          : Checked::sample;
  kernels::Deviation worst{0, 0, checked};
  for (std::size_t r = 0; r < expected.rows.size(); ++r) {
    kernels::Deviation row{0, expected.tolerances[r], checked};
    for (std::size_t i = r * dim; i < (r + 1) * dim; ++i) {
      const double error = std::fabs(values[i] - expected.o[i]);
      if (std::isnan(error)) return {error, row.tolerance, checked};
      row.error = std::max(row.error, error);
    }
    // Compares quotients without dividing, since a row of zeros has a tolerance of zero.
    if (r == 0 || (worst.right() && !row.right()) ||
        row.error * worst.tolerance > worst.error * row.tolerance)
      worst = row;
  }
  return worst;
}

}  // namespace ridgeline::attention
