#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/attention/attention.hpp"

// No useful bound for attention follows from the unit roundoff alone, because a softmax turns absolute errors of scores
// into relative ones of probabilities. So the tolerance is measured: the same formula is computed a second time in
// plain steps of the problem's precision (f32 sums; scores, probabilities and outputs rounded to the element type), and
//   tolerance = 2 max|plain - exact| + 2 u max|exact| + 4 u_f32 max|v|,
// where the first term allows another order of steps twice the error of the plain one, and the others, the final
// rounding and a few roundings of f32, matter where the plain computation happens to be exact (u is the unit roundoff
// of the element type).

namespace ridgeline::attention {
namespace {

// Rows are sampled so that checking stays around a second; the inputs of a head are made once for all its rows.
constexpr std::int64_t most_products = std::int64_t{1} << 27, most_inputs = std::int64_t{1} << 25;
constexpr std::int64_t fewest_heads = 2, fewest_rows = 4;

std::vector<float> read(const kernels::Source& source, std::int64_t first, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  constexpr std::int64_t piece = 1 << 14;
#pragma omp parallel for
  for (std::int64_t begin = 0; begin < count; begin += piece)
    source(first + begin, std::span(values).subspan(static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(std::min(piece, count - begin))));
  return values;
}

float round_to(DType dtype, float value) {
  if (dtype == DType::f16) return from_f16(to_f16(value));
  return dtype == DType::bf16 ? from_bf16(to_bf16(value)) : value;
}

/// One row of the output from one query and the `keys` keys it sees, with all steps in Real and `round` after each
/// stage.
template <class Real, class Round>
void attend(const float* q, const float* k, const float* v, std::int64_t keys, std::int64_t dim, Round round,
            double* o) {
  std::vector<Real> p(static_cast<std::size_t>(keys));
  const Real scale = 1 / std::sqrt(static_cast<Real>(dim));
  Real largest = -std::numeric_limits<Real>::infinity(), sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    Real score = 0;
    for (std::int64_t d = 0; d < dim; ++d) score += static_cast<Real>(q[d]) * static_cast<Real>(k[j * dim + d]);
    p[j] = round(score * scale);
    largest = std::max(largest, p[j]);
  }
  for (Real& value : p) sum += value = std::exp(value - largest);
  std::vector<Real> result(static_cast<std::size_t>(dim), Real{0});
  for (std::int64_t j = 0; j < keys; ++j) {
    const Real probability = round(p[j] / sum);
    for (std::int64_t d = 0; d < dim; ++d) result[d] += probability * static_cast<Real>(v[j * dim + d]);
  }
  for (std::int64_t d = 0; d < dim; ++d) o[d] = static_cast<double>(round(result[d]));
}

}  // namespace

Expected expect(const Problem& problem, const kernels::Source& q, const kernels::Source& k, const kernels::Source& v,
                std::uint64_t seed) {
  const std::int64_t seq = problem.seq, dim = problem.dim, head_size = seq * dim;
  const DType dtype = problem.dtype;
  Expected expected;
  if (problem.elements() == 0) return expected;
  const auto heads =
      kernels::checked_rows(problem.all_heads(), std::max(fewest_heads, most_inputs / (2 * head_size)), seed);
  const std::int64_t products = 2 * head_size * static_cast<std::int64_t>(heads.size());
  const std::int64_t rows_a_head = std::max(fewest_rows, most_products / products);

  double largest_error = 0, largest_output = 0, largest_value = 0;
  for (const std::int64_t head : heads) {
    const std::vector<std::int64_t> rows =
        kernels::checked_rows(seq, rows_a_head, seed + static_cast<std::uint64_t>(head));
    const std::vector<float> keys = read(k, head * head_size, head_size), values = read(v, head * head_size, head_size);
    const auto count = static_cast<std::int64_t>(rows.size());
    std::vector<double> exact(static_cast<std::size_t>(count * dim)), plain(exact.size());
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t r = 0; r < count; ++r) {
      std::vector<float> query(static_cast<std::size_t>(dim));
      q(head * head_size + rows[r] * dim, query);
      const std::int64_t seen = problem.mask == Mask::causal ? rows[r] + 1 : seq;
      attend<double>(
          query.data(), keys.data(), values.data(), seen, dim, [](double x) { return x; }, &exact[r * dim]);
      attend<float>(
          query.data(), keys.data(), values.data(), seen, dim, [=](float x) { return round_to(dtype, x); },
          &plain[r * dim]);
    }
    for (const std::int64_t row : rows) expected.rows.push_back(head * seq + row);
    expected.o.insert(expected.o.end(), exact.begin(), exact.end());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      largest_error = std::max(largest_error, std::fabs(plain[i] - exact[i]));
      largest_output = std::max(largest_output, std::fabs(exact[i]));
    }
    for (const float value : values) largest_value = std::max(largest_value, static_cast<double>(std::fabs(value)));
  }
  expected.tolerance =
      2 * largest_error + 2 * unit_roundoff(dtype) * largest_output + 4 * unit_roundoff(DType::f32) * largest_value;
  return expected;
}

std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, Mask, DType, device::Distribution,
                         std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static kernels::OracleCache<Key, Expected> cache(8);  // a result has at most most_products / (2 * seq) rows: some MiB
  const Key key{problem.batch,       problem.heads, problem.seq,    problem.dim,    problem.mask,  problem.dtype,
                inputs.distribution, inputs.seed,   inputs.q_first, inputs.k_first, inputs.v_first};
  return cache.get(key, [&] {
    const auto source = [&](std::uint64_t first) {
      return kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, first);
    };
    return expect(problem, source(inputs.q_first), source(inputs.k_first), source(inputs.v_first), inputs.seed);
  });
}

kernels::Deviation deviation(device::Device& device, const Problem& problem, const Expected& expected, const void* o) {
  kernels::Deviation result{0, expected.tolerance};
  const std::vector<float> values = kernels::download_rows(device, o, problem.dtype, problem.dim, expected.rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::fabs(values[i] - expected.o[i]);
    if (!(error <= result.error)) result.error = error;
    if (std::isnan(error)) break;
  }
  return result;
}

}  // namespace ridgeline::attention
