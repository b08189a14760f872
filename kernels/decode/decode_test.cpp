#include "kernels/decode/decode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/decode/oracle.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_inputs.hpp"

namespace ridgeline::decode {
namespace decode_test {

using kernels::Deviation;

std::string describe(const Problem& problem) {
  return "batch=" + std::to_string(problem.batch) + " heads=" + std::to_string(problem.heads) +
         " kv_heads=" + std::to_string(problem.kv_heads) + " keys=" + std::to_string(problem.keys) +
         " dim=" + std::to_string(problem.dim) + " " + std::string(to_string(problem.dtype));
}

/// Which keys have the largest scores: any, some by far, the last ones or the first ones; or all
/// are equal, and large values take each other away, so that sums in another order have other bits
/// also where they are rounded to 8.
enum class Scores { even, outliers, growing, falling, equal };

/// Inputs of a problem on the host and on a device, where poison follows the keys and the values.
struct Inputs {
  Inputs(device::Device& device, const Problem& problem, Scores scores = Scores::even)
      : q_values(values(problem, problem.elements(), scores, 1)),
        k_values(values(problem, problem.kv_elements(), scores, 2)),
        v_values(values(problem, problem.kv_elements(), scores, 3)) {
    if (scores == Scores::growing || scores == Scores::falling) slope(problem, scores);
    if (scores == Scores::equal) cancel(problem);
    q = poisoned_end(device, q_values, problem.dtype);
    k = poisoned_end(device, k_values, problem.dtype);
    v = poisoned_end(device, v_values, problem.dtype);
  }

  /// N(0, 1), of which with outliers one in 500 is N(0, 100): some softmaxes become one-hot. From
  /// `period` on they come again, which takes less time; it is prime, so that no two rows are
  /// equal.
  static constexpr std::int64_t period = 99'991;
  static std::vector<float> values(const Problem& problem, std::int64_t count, Scores scores,
                                   unsigned seed) {
    std::vector<float> result = kernels::normal_values(
        std::min<std::int64_t>(count, period), problem.dtype, scores == Scores::outliers, seed);
    result.reserve(static_cast<std::size_t>(count));
    while (std::ssize(result) < count)
      result.push_back(result[result.size() - static_cast<std::size_t>(period)]);
    return result;
  }
  /// Scores of every fourth head differ by up to 90 along the cache, those of others by up to 8.
  void slope(const Problem& problem, Scores scores) {
    const std::int64_t dim = problem.dim;
    for (std::int64_t head = 0; head < problem.all_heads(); ++head)
      q_values[static_cast<std::size_t>(head * dim)] =
          head % 4 == 0 ? 8.0f : 0.25f * static_cast<float>(head % 4);
    const double most = 90.0 / 8 * std::sqrt(static_cast<double>(dim));
    for (std::int64_t row = 0; row < problem.all_kv_heads() * problem.keys; ++row) {
      const double place =
          static_cast<double>(row % problem.keys) / static_cast<double>(problem.keys);
      k_values[static_cast<std::size_t>(row * dim)] = kernels::rounded(
          static_cast<float>(most * (scores == Scores::growing ? place : 1 - place)),
          problem.dtype);
    }
  }
  /// Every second value of the first half of the keys is large, and its negative is in the second.
  void cancel(const Problem& problem) {
    std::ranges::fill(q_values, 0.0f);
    const std::int64_t half = problem.keys / 2;
    for (std::int64_t head = 0; head < problem.all_kv_heads(); ++head)
      for (std::int64_t key = 0; key < half; key += 2)
        for (std::int64_t i = 0; i < problem.dim; ++i) {
          const auto at = static_cast<std::size_t>((head * problem.keys + key) * problem.dim + i);
          v_values[at] *= 4096;
          v_values[at + static_cast<std::size_t>(half * problem.dim)] = -v_values[at];
        }
  }
  static device::Buffer<std::byte> poisoned_end(device::Device& device,
                                                const std::vector<float>& values, DType dtype) {
    const std::vector<std::byte> bytes = kernels::stored(values, dtype);
    device::Buffer<std::byte> memory(device, bytes.size() + 65536);
    memory.poison();
    device.upload(memory.data(), bytes.data(), bytes.size());
    return memory;
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
    const device::Support support =
        variant().supports({1, 1, 1, 64, 64, variant().dtypes.front()}, device->facts());
    if (!support) GTEST_SKIP() << support.reason();
  }
  bool on_gpu() const { return GetParam().kind == device::Kind::cuda; }
  const Variant& variant() const { return GetParam().variant; }

  /// The bits of the output.
  std::vector<std::byte> check(const Problem& problem, Scores scores = Scores::even) {
    const device::Support support = variant().supports(problem, device->facts());
    EXPECT_TRUE(support) << describe(problem) << ": " << support.reason();
    const Inputs inputs(*device, problem, scores);
    const std::size_t bytes = static_cast<std::size_t>(problem.elements()) * size_of(problem.dtype);
    kernels::GuardedOutput o(*device, bytes);
    kernels::GuardedOutput workspace(
        *device, variant().workspace == nullptr ? 0 : variant().workspace(problem));
    variant().launch(
        problem, {inputs.q.data(), inputs.k.data(), inputs.v.data(), o.data(), workspace.data()},
        device->stream());
    device->synchronize();
    const Deviation found = decode::deviation(*device, problem, inputs.expected(problem), o.data());
    EXPECT_TRUE(found.right()) << describe(problem) << ", scores " << static_cast<int>(scores)
                               << ": error " << found.error << ", tolerance " << found.tolerance;
    EXPECT_TRUE(o.guard_untouched()) << describe(problem) << ": wrote beyond O";
    EXPECT_TRUE(workspace.guard_untouched()) << describe(problem) << ": wrote beyond the workspace";
    std::vector<std::byte> result(bytes);
    device->download(result.data(), o.data(), bytes);
    return result;
  }
};

TEST_P(EveryVariant, IsRightForAnyLengthOfTheCache) {
  const std::vector<std::int64_t> all{1,  2,  7,  8,  9,   15,  16,  17,  31,  32,  33,   63,
                                      64, 65, 71, 96, 127, 128, 129, 130, 255, 257, 1000, 2051},
      few{1, 17, 64, 129};  // of a vendor, too: each is another plan
  const bool is_short = kernels::is_emulated(*device) || GetParam().name == "cudnn";
  for (const DType dtype : variant().dtypes)
    for (const std::int64_t dim : {64, 128})
      for (const std::int64_t keys : is_short ? few : all) check({1, 2, 2, keys, dim, dtype});
}

TEST_P(EveryVariant, IsRightForAnyGroup) {
  const DType dtype = variant().dtypes.front();
  for (const std::int64_t group : {2, 3, 4, 5, 8, 9, 16})
    if (!kernels::is_emulated(*device) || group % 4 == 1) check({1, 2 * group, 2, 70, 128, dtype});
  if (kernels::is_emulated(*device)) return;
  for (const std::int64_t group : {1, 3, 4, 8, 16})
    for (const std::int64_t dim : {64, 128}) check({3, 2 * group, 2, 377, dim, dtype});
}

TEST_P(EveryVariant, KeepsHeadsAndBatchesApart) {
  const DType dtype = variant().dtypes.back();
  check({2, 6, 3, 70, 64, dtype});
  check({0, 6, 3, 70, 64, dtype});
  check({2, 0, 0, 70, 64, dtype});
  check({2, 149, 149, 3, 64, dtype});  // heads alone fill a GPU
  if (!on_gpu()) return;
  // More heads than a GPU has SMs, numbers of heads that fill it unevenly, and a long cache.
  check({5, 32, 8, 203, 128, dtype});
  check({64, 8, 2, 130, 64, dtype});
  check({50, 9, 3, 130, 64, dtype});
  check({7, 19, 19, 100, 128, dtype});
  check({1, 4, 1, 20'000, 128, dtype});
}

/// So many heads that a block has more keys than its shared memory holds at once, which is used
/// again.
TEST_P(EveryVariant, IsRightForLongWaysOfABlock) {
  if (GetParam().name == "standard") GTEST_SKIP() << "it keeps no keys in shared memory";
  const DType dtype = variant().dtypes.front();
  check({1, 199, 199, 260, 128, dtype});
  if (on_gpu()) check({4, 64, 32, 700, 64, dtype});
}

TEST_P(EveryVariant, IsRightWhereverTheLargestScoresStand) {
  const bool small = kernels::is_emulated(*device);
  for (const DType dtype : variant().dtypes)
    for (const Scores scores : {Scores::outliers, Scores::growing, Scores::falling}) {
      check({1, 4, 1, small ? 200 : 1100, 64, dtype}, scores);
      if (!small) check({2, 8, 2, 1500, 128, dtype}, scores);
    }
}

TEST_P(EveryVariant, GivesTheSameBitsAgain) {
  if (GetParam().name == "cudnn") GTEST_SKIP() << "a vendor promises nothing";
  const Problem problem{1, 8, 1, on_gpu() ? 5000 : 1100, 64, variant().dtypes.front()};
  std::vector<std::byte> first;
  for (int again = 0; again < 4; ++again) {
    reorder(again);
    const std::vector<std::byte> bits = check(problem, Scores::equal);
    if (again == 0) first = bits;
    EXPECT_EQ(bits, first) << "time " << again;
  }
}

TEST_P(EveryVariant, SaysNoToWhatItCannotDo) {
  const DType dtype = variant().dtypes.front();
  const auto supported = [&](const Problem& problem) {
    return static_cast<bool>(variant().supports(problem, device->facts()));
  };
  EXPECT_TRUE(supported({1, 8, 2, 64, 64, dtype}));
  EXPECT_FALSE(supported({1, 8, 2, 64, 80, dtype})) << "heads of another size";
  EXPECT_FALSE(supported({1, 8, 2, 64, 64, DType::i32}));
  EXPECT_FALSE(supported({1, 8, 3, 64, 64, dtype})) << "no divisor";
  EXPECT_FALSE(supported({1, 8, 0, 64, 64, dtype})) << "no heads of K and V";
  EXPECT_FALSE(supported({1, 8, 2, 0, 64, dtype})) << "nothing to average";
}

TEST_P(EveryVariant, KeepsItsBudget) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  check({1, 4, 1, 256, 128, variant().dtypes.front()});
  kernels::expect_within(variant().budget, device->take_counts());
}

INSTANTIATE_TEST_SUITE_P(Decode, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

/// The checker itself, on a right output that is then damaged.
class Checker : public testing::TestWithParam<Problem> {
 protected:
  Checker()
      : found(kernels::test_device(device::Kind::cpu)),
        problem(GetParam()),
        inputs(*found.device, problem),
        expected(inputs.expected(problem)),
        o(static_cast<std::size_t>(problem.elements())) {
    for (std::size_t i = 0; i < expected.o.size(); ++i)
      o[static_cast<std::size_t>(expected.heads[i / dim()]) * dim() + i % dim()] =
          kernels::rounded(static_cast<float>(expected.o[i]), problem.dtype);
  }
  std::size_t dim() const { return static_cast<std::size_t>(problem.dim); }
  Deviation result() {
    const device::Buffer<std::byte> memory(*found.device, kernels::stored(o, problem.dtype));
    return deviation(*found.device, problem, expected, memory.data());
  }

  kernels::TestDevice found;
  Problem problem;
  Inputs inputs;
  Expected expected;
  std::vector<float> o;
};

TEST_P(Checker, AcceptsTheRoundedOutput) { EXPECT_TRUE(result().right()); }
TEST_P(Checker, ChecksFirstAndLastHead) {
  EXPECT_EQ(expected.heads.front(), 0);
  EXPECT_EQ(expected.heads.back(), problem.all_heads() - 1);
}
TEST_P(Checker, RejectsNaNAlsoBeforeALargerError) {
  o[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(result().right());
  o.back() += 1e6f;
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsOneWrongElement) {
  o[static_cast<std::size_t>(expected.heads[expected.heads.size() / 2]) * dim() + 5] += 0.1f;
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(o.end() - problem.dim, o.end(), 0.0f);
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsALostTile) {
  Problem shorter = problem;
  shorter.batch = 1, shorter.heads = problem.group(), shorter.kv_heads = 1;
  const Expected of_all = inputs.expected(shorter);
  shorter.keys = std::max<std::int64_t>(1, problem.keys - 64);
  const Expected of_less = inputs.expected(shorter);
  const device::Buffer<std::byte> memory(
      *found.device, kernels::stored({of_less.o.begin(), of_less.o.end()}, problem.dtype));
  shorter.keys = problem.keys;
  EXPECT_FALSE(deviation(*found.device, shorter, of_all, memory.data()).right());
}
TEST_P(Checker, RejectsTheCacheOfAnotherHead) {
  Problem other = problem;
  other.kv_heads = problem.kv_heads == 1 ? 2 : 1;
  if (other.kv_heads == 2) GTEST_SKIP() << "this problem has one";
  expected = inputs.expected(other);
  EXPECT_FALSE(result().right());
}

INSTANTIATE_TEST_SUITE_P(Decode, Checker,
                         testing::Values(Problem{1, 2, 2, 65, 64, DType::f32},
                                         Problem{1, 4, 2, 8192, 128, DType::bf16},
                                         Problem{2, 8, 2, 1000, 64, DType::f16},
                                         Problem{3, 40, 1, 4000, 128, DType::bf16}));

TEST(Oracle, ComputesTheInputsThatTheDeviceHolds) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  const Problem problem{1, 2, 1, 1, 64, DType::f16};
  device::Buffer<std::uint16_t> v(*found.device, 64);
  found.device->fill(v.data(), DType::f16, 64, device::Distribution::uniform, 42, 1000);
  const RandomInputs inputs{device::Distribution::uniform, 42, 0, 500, 1000};
  const auto expected = expect_random(problem, inputs);
  for (int d = 0; d < 128; ++d)
    EXPECT_EQ(expected->o[d], from_f16(v.data()[d % 64])) << "of one key, the value is the output";
  EXPECT_EQ(expected, expect_random(problem, inputs)) << "not from the cache";
  EXPECT_NE(expected, expect_random(problem, {device::Distribution::uniform, 42, 0, 500, 1001}));
}

}  // namespace decode_test
}  // namespace ridgeline::decode
