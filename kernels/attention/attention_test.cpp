#include "kernels/attention/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/attention/oracle.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_inputs.hpp"

namespace ridgeline::attention {
namespace attention_test {

using kernels::Deviation;

std::string describe(const Problem& problem) {
  return "batch=" + std::to_string(problem.batch) + " heads=" + std::to_string(problem.heads) +
         " kv_heads=" + std::to_string(problem.heads / problem.group()) +
         " seq=" + std::to_string(problem.seq) + " dim=" + std::to_string(problem.dim) + " " +
         std::string(to_string(problem.mask)) + " " +
         std::string(ridgeline::to_string(problem.dtype));
}

/// Which keys have the largest scores: any, some by far, the last ones, the first ones, all but the
/// first or the last 128; or these, but so little that only f16 cannot hold the exponentials of the
/// others beside theirs.
enum class Scores { even, outliers, growing, falling, low_first, low_last, lower_last };

/// Inputs of a problem on the host and on a device.
struct Inputs {
  Inputs(device::Device& device, const Problem& problem, Scores scores = Scores::even)
      : q_values(queries(problem, scores)),
        k_values(keys(problem, scores)),
        v_values(values(problem, problem.kv_elements(), scores, 3)),
        q(device, kernels::stored(q_values, problem.dtype)),
        k(device, kernels::stored(k_values, problem.dtype)),
        v(device, kernels::stored(v_values, problem.dtype)) {}

  static std::vector<float> values(const Problem& problem, std::int64_t count, Scores scores,
                                   unsigned seed) {
    return kernels::normal_values(count, problem.dtype, scores == Scores::outliers, seed);
  }
  /// Keys have up to 90 more than others in the scores of every fourth query, and up to 2.8, 5.6
  /// or 8.4 in those of the queries between: where scores of one query grow so much that a kernel
  /// changes its reference, others are rescaled and still seen.
  static std::vector<float> queries(const Problem& problem, Scores scores) {
    std::vector<float> result = values(problem, problem.elements(), scores, 1);
    if (scores == Scores::even || scores == Scores::outliers) return result;
    for (std::int64_t row = 0; row < problem.all_heads() * problem.seq; ++row)
      result[static_cast<std::size_t>(row * problem.dim)] =
          scores == Scores::lower_last ? 1.2f
          : row % 4 == 0               ? 8.0f
                                       : 0.25f * static_cast<float>(row % 4);
    return result;
  }
  static std::vector<float> keys(const Problem& problem, Scores scores) {
    std::vector<float> result = values(problem, problem.kv_elements(), scores, 2);
    if (scores == Scores::even || scores == Scores::outliers) return result;
    const double most = 90.0 / 8 * std::sqrt(static_cast<double>(problem.dim));
    for (std::int64_t row = 0; row < problem.kv_elements() / problem.dim; ++row) {
      const std::int64_t j = row % problem.seq;
      const double place = static_cast<double>(j) / static_cast<double>(problem.seq);
      const double level = scores == Scores::growing     ? place
                           : scores == Scores::falling   ? 1 - place
                           : scores == Scores::low_first ? (j < 128 ? -1 : 0)
                                                         : (j + 128 >= problem.seq ? -1 : 0);
      result[static_cast<std::size_t>(row * problem.dim)] =
          kernels::rounded(static_cast<float>(most * level), problem.dtype);
    }
    return result;
  }
  Expected expected(const Problem& problem) const {
    return expect(problem, kernels::source_of(q_values), kernels::source_of(k_values),
                  kernels::source_of(v_values), 1);
  }

  std::vector<float> q_values, k_values, v_values;
  device::Buffer<std::byte> q, k, v;
};

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  void SetUp() override {
    kernels::VariantTest<Variant>::SetUp();
    if (IsSkipped()) return;
    const Variant& variant = GetParam().variant;
    const device::Support support =
        variant.supports({1, 1, 64, 64, Mask::full, variant.dtypes.front()}, device->facts());
    if (support.kind() == device::Support::Kind::unavailable) GTEST_SKIP() << support.reason();
  }
  void check(const Problem& problem, Scores scores = Scores::even) {
    const Variant& variant = GetParam().variant;
    const device::Support support = variant.supports(problem, device->facts());
    ASSERT_TRUE(support) << describe(problem) << ": " << support.reason();
    const Inputs inputs(*device, problem, scores);
    kernels::GuardedOutput o(*device,
                             static_cast<std::size_t>(problem.elements()) * size_of(problem.dtype));
    kernels::GuardedOutput workspace(*device,
                                     variant.workspace == nullptr ? 0 : variant.workspace(problem));
    variant.launch(problem,
                   {inputs.q.data(), inputs.k.data(), inputs.v.data(), o.data(), workspace.data()},
                   device->stream());
    device->synchronize();
    const Deviation deviation =
        attention::deviation(*device, problem, inputs.expected(problem), o.data());
    EXPECT_TRUE(deviation.right())
        << describe(problem) << ", scores " << static_cast<int>(scores) << ": error "
        << deviation.error << ", tolerance " << deviation.tolerance;
    EXPECT_TRUE(o.guard_untouched()) << describe(problem) << ": wrote beyond O";
    EXPECT_TRUE(workspace.guard_untouched()) << describe(problem) << ": wrote beyond the workspace";
  }
};

TEST_P(EveryVariant, IsRightForAnyLength) {
  const std::vector<std::int64_t> all{0,  1,  2,  7,  15,  16,  17,  31,  32,  33,  63, 64,
                                      65, 95, 96, 97, 119, 120, 121, 127, 128, 129, 251},
      few{0, 1, 17, 64, 65, 129}, fewest{129};
  const auto& lengths = is_repeated() ? fewest : kernels::is_emulated(*device) ? few : all;
  for (const DType dtype : GetParam().variant.dtypes)
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const std::int64_t dim : {64, 128})
        for (const std::int64_t seq : lengths) check({1, 2, seq, dim, mask, dtype});
}

TEST_P(EveryVariant, KeepsHeadsApart) {
  for (const DType dtype : GetParam().variant.dtypes) {
    check({2, 3, 70, 64, Mask::causal, dtype});
    check({0, 3, 70, 64, Mask::full, dtype});
    check({1, 0, 70, 64, Mask::full, dtype});
  }
}

/// More than a GPU has SMs, and more than 16 heads with several tiles: blocks that have one tile
/// after another.
TEST_P(EveryVariant, IsRightForManyHeads) {
  const DType dtype = GetParam().variant.dtypes.front();
  check({10, 14, 3, 64, Mask::full, dtype});
  check({1, 18, 130, 64, Mask::causal, dtype});
  if (kernels::is_emulated(*device)) return;
  const bool is_gpu = GetParam().kind == device::Kind::cuda;
  for (const Mask mask : {Mask::full, Mask::causal})
    check({is_gpu ? 10 : 1, is_gpu ? 40 : 18, 300, 128, mask, dtype});
}

TEST_P(EveryVariant, IsRightWhereverTheLargestScoresStand) {
  for (const DType dtype : GetParam().variant.dtypes)
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const Scores scores : {Scores::growing, Scores::falling, Scores::low_first,
                                  Scores::low_last, Scores::lower_last}) {
        if (kernels::is_emulated(*device) && mask == Mask::causal && scores != Scores::falling)
          continue;
        if (is_repeated() && scores != Scores::falling) continue;
        check({1, 1, 260, 64, mask, dtype}, scores);
        if (GetParam().kind == device::Kind::cuda) check({2, 3, 1031, 128, mask, dtype}, scores);
        if (GetParam().kind == device::Kind::cpu) check({1, 2, 515, 128, mask, dtype}, scores);
      }
  // So many keys that memory is used again while scores still change.
  if (!is_repeated())
    check({1, 1, 420, 128, Mask::full, GetParam().variant.dtypes.front()}, Scores::falling);
}

TEST_P(EveryVariant, GroupsQueriesOrSaysNo) {
  const Variant& variant = GetParam().variant;
  const auto supported = [&](std::int64_t kv_heads) {
    const Problem problem{1, 6, 70, 64, Mask::full, variant.dtypes.front(), kv_heads};
    return static_cast<bool>(variant.supports(problem, device->facts()));
  };
  EXPECT_TRUE(supported(6));
  EXPECT_EQ(supported(2), variant.groups_queries);
  EXPECT_FALSE(supported(4)) << "no divisor";
  if (!variant.groups_queries) return;
  for (const Mask mask : {Mask::full, Mask::causal})
    check({2, 6, 70, 64, mask, variant.dtypes.front(), 2});
}

TEST_P(EveryVariant, IsRightWhenLargeOrWithOutliers) {
  if (is_repeated()) GTEST_SKIP() << "as sm_90 and on any length";
  for (const DType dtype : GetParam().variant.dtypes) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      const bool small = kernels::is_emulated(*device);
      check({1, 2, small ? 150 : 1031, 64, mask, dtype});
      check({1, 2, small ? 131 : 300, 128, mask, dtype}, Scores::outliers);
    }
  }
}

TEST_P(EveryVariant, SaysNoToWhatItCannotDo) {
  const DType dtype = GetParam().variant.dtypes.front();
  EXPECT_FALSE(GetParam().variant.supports({1, 1, 64, 80, Mask::full, dtype}, device->facts()));
  EXPECT_FALSE(
      GetParam().variant.supports({1, 1, 64, 64, Mask::full, DType::i32}, device->facts()));
}

TEST_P(EveryVariant, KeepsItsBudget) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  check({1, 1, 256, 64, Mask::full, GetParam().variant.dtypes.front()});
  kernels::expect_within(GetParam().variant.budget, device->take_counts());
}

INSTANTIATE_TEST_SUITE_P(Attention, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

/// The checker itself, on a right output that is then damaged. With long sequences only a sample of
/// rows is checked.
class Checker : public testing::TestWithParam<Problem> {
 protected:
  Checker()
      : found(kernels::test_device(device::Kind::cpu)),
        problem(GetParam()),
        inputs(*found.device, problem) {
    expected = inputs.expected(problem);
    o.assign(static_cast<std::size_t>(problem.elements()), 0.0f);
    for (std::size_t i = 0; i < expected.rows.size(); ++i)
      for (std::int64_t d = 0; d < problem.dim; ++d)
        o[expected.rows[i] * problem.dim + d] =
            kernels::rounded(static_cast<float>(expected.o[i * problem.dim + d]), problem.dtype);
  }
  Deviation result() {
    device::Buffer<std::byte> memory(*found.device, kernels::stored(o, problem.dtype));
    return deviation(*found.device, problem, expected, memory.data());
  }

  kernels::TestDevice found;
  Problem problem;
  Inputs inputs;
  Expected expected;
  std::vector<float> o;
};

TEST_P(Checker, AcceptsTheRoundedOutput) { EXPECT_TRUE(result().right()); }
TEST_P(Checker, ChecksFirstAndLastRow) {
  EXPECT_EQ(expected.rows.front(), 0);
  EXPECT_EQ(expected.rows.back(), problem.all_heads() * problem.seq - 1);
}
TEST_P(Checker, RejectsNaN) {
  o[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsNaNAlsoBeforeALargerError) {
  o[3] = std::numeric_limits<float>::quiet_NaN();
  o.back() += 1e6f;
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsOneWrongElement) {
  o[expected.rows[expected.rows.size() / 2] * problem.dim + 5] += 0.1f;
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(o.end() - problem.dim, o.end(), std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(result().right());
  std::fill(o.end() - problem.dim, o.end(), 0.0f);
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsAnotherMask) {
  Problem other = problem;
  other.mask = problem.mask == Mask::full ? Mask::causal : Mask::full;
  expected = inputs.expected(other);
  EXPECT_FALSE(result().right());
}

INSTANTIATE_TEST_SUITE_P(Attention, Checker,
                         testing::Values(Problem{1, 2, 65, 64, Mask::full, DType::f32},
                                         Problem{1, 1, 4000, 64, Mask::causal, DType::f32},
                                         Problem{2, 2, 100, 128, Mask::causal, DType::bf16},
                                         Problem{1, 2, 100, 64, Mask::full, DType::f16}));

}  // namespace attention_test
}  // namespace ridgeline::attention
