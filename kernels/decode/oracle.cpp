#include "kernels/decode/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "kernels/attention/oracle.hpp"
#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"

// A query that sees the whole cache is a query of attention without a mask over as many keys: its
// oracle computes the one, and says what is tolerated and why.

namespace ridgeline::decode {
namespace {

// Heads are sampled so that checking stays around a second.
constexpr std::int64_t most_products = std::int64_t{1} << 26, fewest_heads = 2;

}  // namespace

Expected expect_heads(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                      const kernels::Source& v, const std::vector<std::int64_t>& heads) {
  const attention::Problem as_attention{problem.batch,   problem.heads,         problem.keys,
                                        problem.dim,     attention::Mask::full, problem.dtype,
                                        problem.kv_heads};
  const auto dim = static_cast<std::size_t>(problem.dim);
  Expected expected{heads, std::vector<double>(heads.size() * dim),
                    std::vector<double>(heads.size())};
  const auto count = static_cast<std::int64_t>(heads.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t head = heads[static_cast<std::size_t>(i)];
    const kernels::Source query = [&](std::int64_t, std::span<float> to) {
      q(head * problem.dim, to);
    };
    const attention::Expected one =
        attention::expect_head(as_attention, query, k, v, head, /*picked=*/{0});
    std::ranges::copy(one.o, expected.o.begin() + i * problem.dim);
    expected.tolerances[static_cast<std::size_t>(i)] = one.tolerances.front();
  }
  return expected;
}

Expected expect(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                const kernels::Source& v, std::uint64_t seed) {
  const std::int64_t most =
      most_products / std::max<std::int64_t>(2 * problem.keys * problem.dim, 1);
  return expect_heads(
      problem, q, k, v,
      kernels::checked_rows(problem.all_heads(), std::max(fewest_heads, most), seed));
}

std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs) {
  static kernels::OracleCache<Expected> cache(8);
  const auto [batch, heads, kv_heads, keys, dim, dtype] = problem;
  const auto [distribution, seed, q_first, k_first, v_first] = inputs;
  const std::string key = kernels::key_of("decode", batch, heads, kv_heads, keys, dim, dtype,
                                          distribution, seed, q_first, k_first, v_first);
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
      kernels::download_rows(device, o, problem.dtype, problem.dim, expected.heads);
  const auto dim = static_cast<std::size_t>(problem.dim);
  kernels::Worst worst;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const kernels::Worst here{std::fabs(values[i] - expected.o[i]), expected.tolerances[i / dim],
                              static_cast<std::int64_t>(i)};
    if (kernels::worse(here, worst)) worst = here;
  }
  const bool all = static_cast<std::int64_t>(expected.heads.size()) == problem.all_heads();
  return {worst.error, worst.tolerance, all ? Checked::whole : Checked::sample};
}

}  // namespace ridgeline::decode
