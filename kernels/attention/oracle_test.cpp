#include "kernels/attention/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/test_device.hpp"
#include "kernels/test_inputs.hpp"

// What the CPU's oracle expects of random inputs, and how much of a long row it tolerates.

namespace ridgeline::attention {
namespace oracle_test {

using kernels::Deviation;

/// The last causal row of one long head, computed as a kernel on tensor cores does:
/// exp(score - largest) is rounded to the element type for the second product, sums are f32. Keys
/// lost .. lost + count - 1 are left out.
class LongCausalRow : public testing::TestWithParam<std::tuple<DType, /*normal=*/bool>> {
 protected:
  LongCausalRow()
      : found(kernels::test_device(device::Kind::cpu)),
        problem{1, 1, 8192, 64, Mask::causal, dtype()},
        q(values(1)),
        k(values(2)),
        v(values(3)),
        expected(expect(problem, kernels::source_of(q), kernels::source_of(k),
                        kernels::source_of(v), 1)) {}
  static DType dtype() { return std::get<0>(GetParam()); }
  std::vector<float> values(unsigned seed) const {
    if (std::get<1>(GetParam()))
      return kernels::normal_values(problem.elements(), dtype(), /*outliers=*/false, seed);
    std::vector<float> uniform(static_cast<std::size_t>(problem.elements()));
    kernels::random_source(dtype(), device::Distribution::uniform, seed, 0)(0, uniform);
    return uniform;
  }

  Deviation without(std::int64_t lost, std::int64_t count) const {
    const std::int64_t seq = problem.seq, dim = problem.dim;
    std::vector<float> p(static_cast<std::size_t>(seq)), o(static_cast<std::size_t>(dim));
    for (std::int64_t j = 0; j < seq; ++j) {
      for (std::int64_t d = 0; d < dim; ++d) p[j] += q[(seq - 1) * dim + d] * k[j * dim + d];
      p[j] *= 1 / std::sqrt(static_cast<float>(dim));
    }
    const float largest = *std::ranges::max_element(p);
    float sum = 0;
    for (std::int64_t j = 0; j < seq; ++j) {
      if (j >= lost && j < lost + count) continue;
      const float weight = std::exp(p[j] - largest);
      sum += weight;
      for (std::int64_t d = 0; d < dim; ++d)
        o[d] += kernels::rounded(weight, dtype()) * v[j * dim + d];
    }
    Expected last{{0}, {expected.o.end() - dim, expected.o.end()}, {expected.tolerances.back()}};
    for (float& value : o) value /= sum;
    const device::Buffer<std::byte> memory(*found.device, kernels::stored(o, dtype()));
    return deviation(*found.device, problem, last, memory.data());
  }

  kernels::TestDevice found;
  Problem problem;
  std::vector<float> q, k, v;
  Expected expected;
};

TEST_P(LongCausalRow, AcceptsRoundedProbabilities) {
  const Deviation result = without(0, 0);
  EXPECT_LE(result.error, result.tolerance / 2)
      << "a right kernel should not come close to the tolerance";
}
TEST_P(LongCausalRow, RejectsLostKeys) {
  for (const std::int64_t lost : {0, 4096, 8064}) {
    EXPECT_FALSE(without(lost, 128).right()) << "keys from " << lost;
    EXPECT_FALSE(without(lost, 32).right()) << "keys from " << lost;
  }
}

INSTANTIATE_TEST_SUITE_P(Attention, LongCausalRow,
                         testing::Combine(testing::Values(DType::f32, DType::f16, DType::bf16),
                                          testing::Bool()));

TEST(Oracle, ComputesTheInputsThatTheDeviceHolds) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  const Problem problem{1, 1, 2, 64, Mask::causal, DType::f16};
  device::Buffer<std::uint16_t> v(*found.device, 128);
  found.device->fill(v.data(), DType::f16, 128, device::Distribution::uniform, 42, 1000);
  const RandomInputs inputs{device::Distribution::uniform, 42, 0, 500, 1000};
  const auto expected = expect_random(problem, inputs);
  for (int d = 0; d < 64; ++d)
    EXPECT_EQ(expected->o[d], from_f16(v.data()[d]));  // the first query sees one key
  EXPECT_EQ(expected, expect_random(problem, inputs)) << "not from the cache";
  EXPECT_NE(expected, expect_random(problem, {device::Distribution::uniform, 42, 0, 500, 1001}));
}

}  // namespace oracle_test
}  // namespace ridgeline::attention
