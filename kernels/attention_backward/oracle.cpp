#include "kernels/attention_backward/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/attention_backward/device_oracle.hpp"

// Every row of the three outputs has its own tolerance (Sensitivity). Maxima are over the row's
// elements, and u is the unit roundoff of the element type:
// - plain is the same formula in plain steps of the problem's precision (f32 sums; scores, P, O,
//   dP, dS and outputs rounded to the element type); another order of steps may err twice as much.
//   With few keys its errors may cancel by chance, so that it bounds nothing alone.
// - An output is rounded once, and what is rounded is itself a little off.
// - Scores, probabilities, dP and dS may be rounded: by factors 1 + e, |e| <= u, which are
//   independent. To first order, dS = P (dP - D) moves by P (dP - D) for the roundings of P and of
//   dS, by that times the score for the score's, and by P dP for that of dP; D moves by what
//   the roundings of O make of it, W = root of the sum of (dO O)^2. r is the root of the sum of the
//   squares of what these make of an output, for dV in the same way from P alone. A sum of
//   independent roundings exceeds 6 u r with probability at most 3e-8 (Hoeffding).
// - In f32, a score in any order of sums is off by at most (dim + 4) u_f32 s, s = max sum |q k| /
//   sqrt(dim), which changes P by that ratio; dP and D are off by dim + 4 roundings of the sums of
//   their terms' magnitudes. m is the sum of the magnitudes of all that adds up to an output, each
//   with the magnitudes that dP and D consist of in place of their values. L is an f32, too.
// - An exponential below 2^-126 may be 0, as f32's normal numbers end there. m takes no probability
//   for less than 2^-106, of which 16 u_f32 are 2^-126.

namespace ridgeline::attention_backward {
namespace {

std::vector<float> all_of(const kernels::Source& source, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  if (count != 0) source(0, values);
  return values;
}

float narrowed(DType dtype, float value) {
  if (dtype == DType::f16) return from_f16(to_f16(value));
  return dtype == DType::bf16 ? from_bf16(to_bf16(value)) : value;
}

struct Arrays {
  Arrays(const Problem& problem, const Sources& sources)
      : q(all_of(sources.q, problem.elements())),
        k(all_of(sources.k, problem.kv_elements())),
        v(all_of(sources.v, problem.kv_elements())),
        d_o(all_of(sources.d_o, problem.elements())) {}
  std::vector<float> q, k, v, d_o;
};

/// seq x seq numbers of a head, by query and key; what a mask hides is 0.
template <class Real>
using Square = std::vector<Real>;

enum class Pass { forward, both };

/// A head of queries with its keys: probabilities and what else all outputs are made of; of a
/// forward pass alone without D, dP and dS.
template <class Real>
struct Head {
  Square<Real> scores, p, dp, ds;
  std::vector<Real> o, logarithms, d;
};

/// Of term(0) to term(count - 1), in four sums, of which none waits for another.
template <class Term>
double sum_of(std::int64_t count, Term term) {
  double one = 0, two = 0, three = 0, four = 0;
  std::int64_t e = 0;
  for (; e + 4 <= count; e += 4) {
    one += term(e);
    two += term(e + 1);
    three += term(e + 2);
    four += term(e + 3);
  }
  for (; e < count; ++e) one += term(e);
  return (one + two) + (three + four);
}

template <class Real>
Real product(const float* a, const float* b, std::int64_t dim) {
  const auto term = [=](std::int64_t e) {
    return static_cast<Real>(a[e]) * static_cast<Real>(b[e]);
  };
  if constexpr (std::is_same_v<Real, double>) return sum_of(dim, term);
  Real sum = 0;  // in plain steps
  for (std::int64_t e = 0; e < dim; ++e) sum += term(e);
  return sum;
}

template <class Real, class Round>
Head<Real> head_of(const Problem& problem, const Arrays& in, std::int64_t head, Round round,
                   Pass pass = Pass::both) {
  const std::int64_t seq = problem.seq, dim = problem.dim, first = head * seq * dim,
                     kv_first = head / problem.group() * seq * dim;
  const auto square = static_cast<std::size_t>(seq * seq),
             back = pass == Pass::both ? square : std::size_t{0};
  Head<Real> of{Square<Real>(square),
                Square<Real>(square),
                Square<Real>(back),
                Square<Real>(back),
                std::vector<Real>(static_cast<std::size_t>(seq * dim)),
                std::vector<Real>(static_cast<std::size_t>(seq)),
                std::vector<Real>(static_cast<std::size_t>(seq))};
  const Real scale = 1 / std::sqrt(static_cast<Real>(dim));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < seq; ++i) {
    const std::int64_t seen = problem.mask == Mask::causal ? i + 1 : seq;
    const float *const query = &in.q[first + i * dim], *const d_o = &in.d_o[first + i * dim];
    Real largest = -std::numeric_limits<Real>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < seen; ++j) {
      of.scores[i * seq + j] = round(product<Real>(query, &in.k[kv_first + j * dim], dim) * scale);
      largest = std::max(largest, of.scores[i * seq + j]);
    }
    for (std::int64_t j = 0; j < seen; ++j)
      sum += of.p[i * seq + j] = std::exp(of.scores[i * seq + j] - largest);
    of.logarithms[i] = largest + std::log(sum);
    Real* const o = &of.o[i * dim];
    for (std::int64_t j = 0; j < seen; ++j) {
      const Real p = of.p[i * seq + j] = round(of.p[i * seq + j] / sum);
      for (std::int64_t e = 0; e < dim; ++e)
        o[e] += p * static_cast<Real>(in.v[kv_first + j * dim + e]);
    }
    for (std::int64_t e = 0; e < dim; ++e) o[e] = round(o[e]);
    if (pass == Pass::forward) continue;
    for (std::int64_t e = 0; e < dim; ++e) of.d[i] += o[e] * static_cast<Real>(d_o[e]);
    for (std::int64_t j = 0; j < seen; ++j) {
      of.dp[i * seq + j] = round(product<Real>(d_o, &in.v[kv_first + j * dim], dim));
      of.ds[i * seq + j] = round(of.p[i * seq + j] * (of.dp[i * seq + j] - of.d[i]));
    }
  }
  return of;
}

/// What one exact dS or P adds to an output: the factor of an element of another array.
struct Term {
  double exact, plain, square, size;
};

/// A row of an output, of dim elements, while terms are added to it.
struct Row {
  explicit Row(std::int64_t dim)
      : exact(static_cast<std::size_t>(dim)), plain(exact.size()), squares(exact), sizes(exact) {}
  void add(const Term& term, const float* other) {
    for (std::size_t e = 0; e < exact.size(); ++e) {
      const double x = other[e];
      exact[e] += term.exact * x;
      plain[e] += static_cast<float>(term.plain) * other[e];
      squares[e] += term.square * x * x;
      sizes[e] += term.size * std::fabs(x);
    }
  }
  std::vector<double> exact;
  std::vector<float> plain;
  std::vector<double> squares, sizes;
};

/// Scales the row, and writes it as the part's row `at`.
void write(const Row& row, double scale, DType dtype, double score, std::int64_t at,
           Expected::Part& to) {
  const auto dim = static_cast<std::int64_t>(row.exact.size());
  Sensitivity of{.score = score};
  for (std::int64_t e = 0; e < dim; ++e) {
    const double exact = row.exact[e] * scale;
    const float plain = narrowed(dtype, row.plain[e] * static_cast<float>(scale));
    to.values[at * dim + e] = exact;
    of.error = std::max(of.error, std::fabs(static_cast<double>(plain) - exact));
    of.output = std::max(of.output, std::fabs(exact));
    of.squares = std::max(of.squares, row.squares[e] * scale * scale);
    of.size = std::max(of.size, row.sizes[e] * scale);
  }
  to.tolerances[at] = tolerance(of, unit_roundoff(dtype), unit_roundoff(DType::f32), dim);
}

/// Of dS by query and key: `w` is W^2 of the query, sizes are sums of the terms' magnitudes.
Term term_of(double s, double p, double dp, double ds, double plain_ds, double w, double dp_size,
             double d_size) {
  return {ds, plain_ds, ds * ds * (2 + s * s) + p * p * (dp * dp + w),
          size_of_probability(p) * (dp_size + d_size)};
}

double magnitudes(const float* a, const float* b, std::int64_t dim) {
  return sum_of(dim, [=](std::int64_t e) { return std::fabs(static_cast<double>(a[e]) * b[e]); });
}

}  // namespace

double tolerance(const Sensitivity& of, double unit_of_elements, double unit_of_sums,
                 std::int64_t dim) {
  const double steps = 2 * static_cast<double>(dim + 4) * (of.score + 1) + 16;
  return 2 * of.error + unit_of_elements * (2 * of.output + 6 * std::sqrt(of.squares)) +
         unit_of_sums * steps * of.size;
}

Forward forward(const Problem& problem, const Sources& sources) {
  Forward result;
  if (problem.elements() == 0) return result;
  const Arrays in(problem, sources);
  for (std::int64_t head = 0; head < problem.all_heads(); ++head) {
    const Head<double> of = head_of<double>(
        problem, in, head, [](double x) { return x; }, Pass::forward);
    for (const double o : of.o) result.o.push_back(narrowed(problem.dtype, static_cast<float>(o)));
    for (const double l : of.logarithms) result.logarithms.push_back(static_cast<float>(l));
  }
  return result;
}

Expected expect(const Problem& problem, const Sources& sources) {
  Expected expected;
  const std::int64_t seq = problem.seq, dim = problem.dim;
  const auto resize = [&](Expected::Part& part, std::int64_t rows) {
    part.values.resize(static_cast<std::size_t>(rows * dim));
    part.tolerances.resize(static_cast<std::size_t>(rows));
  };
  resize(expected.dq, problem.rows());
  resize(expected.dk, problem.kv_rows());
  resize(expected.dv, problem.kv_rows());
  if (problem.elements() == 0) return expected;
  const Arrays in(problem, sources);
  const DType dtype = problem.dtype;
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  std::vector<Row> dk(static_cast<std::size_t>(seq), Row(dim)), dv = dk;
  std::vector<double> key_scores(static_cast<std::size_t>(seq));
  for (std::int64_t head = 0; head < problem.all_heads(); ++head) {
    const Head<double> exact = head_of<double>(problem, in, head, [](double x) { return x; });
    const Head<float> plain =
        head_of<float>(problem, in, head, [=](float x) { return narrowed(dtype, x); });
    const std::int64_t kv_head = head / problem.group();
    const float *const q = &in.q[head * seq * dim], *const d_o = &in.d_o[head * seq * dim],
                       *const k = &in.k[kv_head * seq * dim], *const v = &in.v[kv_head * seq * dim];
    for (std::int64_t i = 0; i < seq; ++i) {
      Row dq(dim), seen_keys(dim);
      double w = 0, d_size = 0, query_score = 0;
      for (std::int64_t e = 0; e < dim; ++e) {
        const double part = d_o[i * dim + e] * exact.o[i * dim + e];
        w += part * part;
        d_size += std::fabs(part);
      }
      for (std::int64_t j = 0; j < (problem.mask == Mask::causal ? i + 1 : seq); ++j) {
        const std::int64_t at = i * seq + j;
        const double s = exact.scores[at], p = exact.p[at],
                     score = magnitudes(q + i * dim, k + j * dim, dim) * scale,
                     dp_size = magnitudes(d_o + i * dim, v + j * dim, dim);
        query_score = std::max(query_score, score);
        key_scores[j] = std::max(key_scores[j], score);
        const auto of_ds = [&](double square) {
          return term_of(s, p, exact.dp[at], exact.ds[at], plain.ds[at], square, dp_size, d_size);
        };
        dq.add(of_ds(0), k + j * dim);  // D is the same for all keys
        seen_keys.add({p, 0, 0, 0}, k + j * dim);
        dk[j].add(of_ds(w), q + i * dim);
        dv[j].add({p, plain.p[at], p * p * (1 + s * s), size_of_probability(p)}, d_o + i * dim);
      }
      for (std::int64_t e = 0; e < dim; ++e)
        dq.squares[e] += w * seen_keys.exact[e] * seen_keys.exact[e];
      write(dq, scale, dtype, query_score, head * seq + i, expected.dq);
    }
    if ((head + 1) % problem.group() != 0) continue;
    for (std::int64_t j = 0; j < seq; ++j) {
      write(dk[j], scale, dtype, key_scores[j], kv_head * seq + j, expected.dk);
      write(dv[j], 1, dtype, key_scores[j], kv_head * seq + j, expected.dv);
    }
    std::ranges::fill(dk, Row(dim));
    std::ranges::fill(dv, Row(dim));
    std::ranges::fill(key_scores, 0);
  }
  return expected;
}

Sources sources_of(const Problem& problem, const RandomInputs& inputs) {
  Sources sources;
  for (const auto& [source, first] : {std::pair(&sources.q, inputs.q_first),
                                      {&sources.k, inputs.k_first},
                                      {&sources.v, inputs.v_first},
                                      {&sources.d_o, inputs.d_o_first}})
    *source = kernels::random_source(problem.dtype, inputs.distribution, inputs.seed, first);
  return sources;
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const Outputs& outputs) {
  kernels::Worst worst;
  const auto compare = [&](const Expected::Part& part, const void* output) {
    std::vector<std::int64_t> rows(part.tolerances.size());
    std::iota(rows.begin(), rows.end(), 0);
    const std::vector<float> values =
        kernels::download_rows(device, output, problem.dtype, problem.dim, rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const kernels::Worst here{std::fabs(values[i] - part.values[i]),
                                part.tolerances[i / static_cast<std::size_t>(problem.dim)],
                                static_cast<std::int64_t>(i)};
      if (kernels::worse(here, worst)) worst = here;
    }
  };
  compare(expected.dq, outputs.dq);
  compare(expected.dk, outputs.dk);
  compare(expected.dv, outputs.dv);
  return {worst.error, worst.tolerance, Checked::whole};
}

}  // namespace ridgeline::attention_backward
