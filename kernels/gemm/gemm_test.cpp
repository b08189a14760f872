#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "kernels/gemm/oracle.hpp"
#include "kernels/gemm/scales.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::gemm {
namespace gemm_test {

using kernels::Deviation;
using kernels::GuardedOutput;

/// N(0, 1), of which with outliers one in 500 is N(0, 100): they drown the rest where sums lose
/// precision. Graded: times a power of 2 that each row of A and each column of B has of its own.
/// Positive: without signs, so that sums only grow.
enum class Values : std::uint8_t { normal, outliers, graded, positive };

/// Inputs of a problem on the host and on a device. Those of e4m3 are 64 times as large, and B is
/// on the device column by column.
struct Inputs {
  Inputs(device::Device& device, const Problem& problem, Values kind)
      : a_values(values(problem.m * problem.k, problem.dtype, kind, 1,
                        [&](std::int64_t i) { return i / problem.k; })),
        b_values(values(problem.k * problem.n, problem.dtype, kind, 2,
                        [&](std::int64_t i) { return i % problem.n; })),
        a(device, kernels::stored(a_values, problem.dtype)),
        b(device, kernels::stored(is_e4m3(problem.dtype) ? transposed(b_values, problem) : b_values,
                                  problem.dtype)),
        scales(device),
        scale(scale_of(problem.dtype)) {}

  static std::vector<float> transposed(const std::vector<float>& values, const Problem& problem) {
    std::vector<float> result(values.size());
    for (std::int64_t i = 0; i < problem.k * problem.n; ++i)
      result[static_cast<std::size_t>(i % problem.n * problem.k + i / problem.n)] =
          values[static_cast<std::size_t>(i)];
    return result;
  }

  /// `line` says in which row of A or column of B element i is.
  template <class Line>
  static std::vector<float> values(std::int64_t count, DType dtype, Values kind, unsigned seed,
                                   Line line) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> result(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      float value = normal(random) * (is_e4m3(dtype) ? 64.0f : 1.0f);
      if (kind == Values::outliers && random() % 500 == 0) value *= 10.0f;
      if (kind == Values::graded)
        value = std::ldexp(value, static_cast<int>(line(i) * 37 % 101) - 50);
      if (kind == Values::positive) value = std::fabs(value);
      result[static_cast<std::size_t>(i)] = kernels::rounded(value, dtype);
    }
    return result;
  }
  static kernels::Source source(const std::vector<float>& values, float scale = 1) {
    return [&values, scale](std::int64_t first, std::span<float> to) {
      for (float& value : to) value = scale * values[static_cast<std::size_t>(first++)];
    };
  }
  Expected expected(const Problem& problem) const {
    return expect(problem, source(a_values, scale), source(b_values), 1);
  }
  Operands operands(void* c, void* workspace) const {
    return {a.data(), b.data(), c, workspace, scales.a(), scales.b()};
  }

  std::vector<float> a_values, b_values;
  device::Buffer<std::byte> a, b;
  Scales scales;
  float scale;
};

/// Of what n and k have to be multiples for `variant` to take a problem of that type. The rungs of
/// e4m3 take more of n than cuBLASLt.
std::int64_t multiple_of_n(const Variant& variant, DType dtype) {
  return is_e4m3(dtype) && variant.vendor ? 16 : variant.multiple;
}
std::int64_t multiple_of_k(const Variant& variant, DType dtype) {
  if (is_e4m3(dtype)) return 16;
  return variant.multiple_of_k != 0 ? variant.multiple_of_k : variant.multiple;
}

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  void SetUp() override {
    kernels::VariantTest<Variant>::SetUp();
    if (!device || device->facts().kind != device::Kind::cuda) return;
    const Variant& variant = GetParam().variant;
    const device::Support support =
        variant.supports({64, 64, 64, variant.dtypes.front()}, device->facts());
    if (support.kind() == device::Support::Kind::unsupported && device->facts().capability != 90)
      GTEST_SKIP() << support.reason();  // Hopper has all that variants need
  }
  /// The output of the variant, judged as that of `judged_as`.
  Deviation launched(const Problem& problem, const Inputs& inputs, const Problem& judged_as) {
    const Variant& variant = GetParam().variant;
    GuardedOutput c(*device, static_cast<std::size_t>(problem.m * problem.n) *
                                 size_of(stored_as(problem.dtype)));
    variant.launch(problem, inputs.operands(c.data(), nullptr), device->stream());
    device->synchronize();
    return gemm::deviation(*device, judged_as, inputs.expected(judged_as), c.data());
  }
  bool cuts_along_k() const {
    const std::string_view cutting[] = {"bank_aware_tma", "stream_k", "split_k_cluster"};
    return std::ranges::find(cutting, GetParam().name) != std::end(cutting);
  }
  /// The bits of C; none where the variant does not take the problem.
  std::vector<std::byte> check(const Problem& problem, Values kind = Values::normal) {
    const Variant& variant = GetParam().variant;
    const device::Support support = variant.supports(problem, device->facts());
    if (!support) {
      EXPECT_TRUE(problem.flops() == 0 || problem.n % multiple_of_n(variant, problem.dtype) != 0 ||
                  problem.k % multiple_of_k(variant, problem.dtype) != 0)
          << "refused, though its type is one of the variant's: " << support.reason();
      return {};
    }
    const Inputs inputs(*device, problem, kind);
    GuardedOutput c(*device, static_cast<std::size_t>(problem.m * problem.n) *
                                 size_of(stored_as(problem.dtype)));
    const std::size_t workspace_bytes =
        variant.workspace == nullptr ? 0 : variant.workspace(problem);
    device::Buffer<std::byte> workspace(*device, workspace_bytes);
    workspace.poison();
    variant.launch(problem, inputs.operands(c.data(), workspace.data()), device->stream());
    device->synchronize();
    const Deviation deviation = gemm::deviation(
        *device, problem, inputs.expected(problem), c.data(),
        kind == Values::positive ? device::Distribution::positive : device::Distribution::uniform);
    EXPECT_TRUE(deviation.right()) << "m=" << problem.m << " n=" << problem.n << " k=" << problem.k
                                   << " " << to_string(problem.dtype) << ": error "
                                   << deviation.error << ", tolerance " << deviation.tolerance;
    EXPECT_TRUE(c.guard_untouched())
        << "m=" << problem.m << " n=" << problem.n << " k=" << problem.k << ": wrote beyond C";
    std::vector<std::byte> bits(static_cast<std::size_t>(problem.m * problem.n) *
                                size_of(stored_as(problem.dtype)));
    device->download(bits.data(), c.data(), bits.size());
    return bits;
  }
};

TEST_P(EveryVariant, IsRightForAnyShape) {
  const device::Support support =
      GetParam().variant.supports({64, 64, 64, GetParam().variant.dtypes.front()}, device->facts());
  if (support.kind() == device::Support::Kind::unavailable) GTEST_SKIP() << support.reason();
  // Zero, one, primes, and sizes around the tiles of all variants, in shapes that are far from
  // square too.
  const std::int64_t shapes[][3] = {{0, 0, 0},
                                    {0, 5, 3},
                                    {5, 0, 3},
                                    {5, 3, 0},
                                    {1, 1, 1},
                                    {1, 97, 3},
                                    {97, 1, 3},
                                    {1, 1, 1023},
                                    {7, 5, 3},
                                    {11, 31, 383},
                                    {12, 32, 384},
                                    {13, 33, 385},
                                    {15, 17, 16},
                                    {16, 16, 15},
                                    {31, 32, 33},
                                    {63, 64, 65},
                                    {64, 64, 64},
                                    {65, 63, 7},
                                    {113, 203, 59},
                                    {127, 129, 128},
                                    {128, 128, 128},
                                    {129, 127, 9},
                                    {193, 513, 129},
                                    {239, 1, 97},
                                    {256, 8, 512},
                                    {8, 4099, 40},
                                    {1023, 24, 64},
                                    {65, 255, 17},
                                    {66, 257, 15},
                                    {2177, 258, 5},
                                    // What takes whole 16 bytes alone: around tiles and stages, and
                                    // longer than rings of stages.
                                    {1, 8, 8},
                                    {127, 248, 56},
                                    {128, 256, 64},
                                    {129, 264, 72},
                                    {65, 8, 328},
                                    {257, 16, 584},
                                    // The same of 8-bit elements.
                                    {129, 8, 16},
                                    {1, 264, 112},
                                    {127, 256, 144},
                                    {130, 40, 656}};
  using Shapes = std::span<const std::int64_t[3]>;
  const std::int64_t few[][3] = {{0, 5, 3},     {5, 3, 0}, {1, 1, 1},      {65, 63, 7},
                                 {129, 127, 9}, {1, 8, 8}, {129, 264, 72}, {257, 16, 584}};
  for (const DType dtype : GetParam().variant.dtypes)
    for (const auto& shape : is_repeated() ? Shapes(few) : Shapes(shapes))
      check({shape[0], shape[1], shape[2], dtype});
}

TEST_P(EveryVariant, IsRightWhenLargeOrWithOutliers) {
  for (const DType dtype : GetParam().variant.dtypes) {
    Problem large = kernels::is_emulated(*device) ? Problem{140, 260, 271, dtype}
                                                  : Problem{384, 512, 1031, dtype};
    const auto up = [](std::int64_t size, std::int64_t multiple) {
      return (size + multiple - 1) / multiple * multiple;
    };
    large.n = up(large.n, multiple_of_n(GetParam().variant, dtype));
    large.k = up(large.k, multiple_of_k(GetParam().variant, dtype));
    check(large);
    check({150, 160, 800, dtype}, Values::outliers);
  }
}

// More tiles, and pairs of tiles, than the device's SMs hold at once, in several bands and with a
// column that is not whole.
TEST_P(EveryVariant, IsRightWhereBlocksGoOnToFurtherTiles) {
  const std::string_view staying[] = {"mma_tma", "persistent_clusters", "split_products_wgmma",
                                      "fp8_fast", "fp8_promoted"};
  if (std::ranges::find(staying, GetParam().name) == std::end(staying))
    GTEST_SKIP() << "its blocks make one tile each, or shares of tiles";
  const std::int64_t pairs = device->facts().units / 2 + 8;
  const DType dtype = GetParam().variant.dtypes.front();
  const std::int64_t k = dtype == DType::f32 ? 32 : is_e4m3(dtype) ? 144 : 136;
  check({(pairs / 2 + 1) * 256 - 100, 264, k, dtype});
}

// Many shares of one tile, shares of two tiles, rows that C does not have, and shares that come
// after a whole tile of each block.
TEST_P(EveryVariant, IsRightWhereTilesAreCutAlongK) {
  if (!cuts_along_k()) GTEST_SKIP() << "its tiles are whole";
  const DType dtype = GetParam().variant.dtypes.front();
  const std::int64_t five_stages = dtype == DType::f32 ? 136 : 264;
  const std::int64_t shapes[][3] = {{16, 264, 1104},
                                    {1, 8, 1096},
                                    {136, 8, 264},
                                    {(device->facts().units + 2) * 128 - 100, 8, five_stages}};
  for (const auto& [m, n, k] : shapes) check({m, n, k, dtype});
}

// Whatever order blocks come in: those that have parts of a tile add them in the order of K.
TEST_P(EveryVariant, GivesTheSameBitsWhereItSaysSo) {
  if (!cuts_along_k()) GTEST_SKIP() << "it does not say so";
  const DType dtype = GetParam().variant.dtypes.front();
  if (!GetParam().variant.supports({8, 8, 8, dtype}, device->facts()))
    GTEST_SKIP() << "for other GPUs";
  const Problem cut{16, 264, 1104, dtype}, two_rounds{3 * 128 + 5, 264, 264, dtype};
  for (const Problem& problem : {cut, two_rounds}) {
    std::vector<std::byte> first;
    for (int again = 0; again < 4; ++again) {
      reorder(again);
      const std::vector<std::byte> bits = check(problem);
      if (again == 0) first = bits;
      EXPECT_FALSE(bits.empty());
      EXPECT_EQ(bits, first) << "n=" << problem.n << " k=" << problem.k << ", time " << again;
    }
  }
}

// Where k is large, sums that stay in tensor cores are told from those that are added in f32, which
// have a tenth of their error.
TEST_P(EveryVariant, AddsSumsOfE4m3AsItsTypeSays) {
  if (!GetParam().name.starts_with("fp8_")) GTEST_SKIP() << "a rung of another type";
  const DType dtype = GetParam().variant.dtypes.front();
  const Problem problem{128, 256, 4096, dtype}, promoted{128, 256, 4096, DType::e4m3};
  if (!GetParam().variant.supports(problem, device->facts())) GTEST_SKIP() << "for other GPUs";
  const Inputs inputs(*device, problem, Values::normal);
  const Deviation as_promoted = launched(problem, inputs, promoted);
  if (dtype == DType::e4m3) {
    EXPECT_LT(as_promoted.error, 0.5 * as_promoted.tolerance);
  } else {
    EXPECT_FALSE(as_promoted.right()) << as_promoted.error << " of " << as_promoted.tolerance;
    const Deviation as_it_says = launched(problem, inputs, problem);
    EXPECT_TRUE(as_it_says.right()) << as_it_says.error << " of " << as_it_says.tolerance;
  }
}

// What tensor cores cut off sums that only grow does not cancel.
TEST_P(EveryVariant, IsRightForPositiveInputs) {
  const std::int64_t k = kernels::is_emulated(*device) ? 1024 : 32768;
  for (const DType dtype : GetParam().variant.dtypes) check({64, 64, k, dtype}, Values::positive);
}

TEST_P(EveryVariant, IsRightForRowsAndColumnsOfAnySize) {
  for (const DType dtype : GetParam().variant.dtypes)
    if (size_of(dtype) != 1 && dtype != DType::f16)  // which lack the range
      check({130, 152, 72, dtype}, Values::graded);
}

TEST_P(EveryVariant, SaysNoToOtherTypes) {
  for (const DType dtype : {DType::i32, DType::u8, DType::f64})
    EXPECT_FALSE(GetParam().variant.supports({64, 64, 64, dtype}, device->facts()))
        << to_string(dtype);
}

TEST_P(EveryVariant, SaysWhichSizesItTakes) {
  const Variant& variant = GetParam().variant;
  const auto reason = [&](std::int64_t n, std::int64_t k) {
    const Problem problem{64, n, k, variant.dtypes.front()};
    return variant.supports(problem, device->facts()).reason();
  };
  const std::int64_t of_n = variant.multiple, of_k = multiple_of_k(variant, variant.dtypes.front());
  if (of_n == 1 && of_k == 1) GTEST_SKIP() << "it takes all";
  const auto expect_rule = [](const std::string& found, std::int64_t multiple) {
    const std::string rule = "multiples of " + std::to_string(multiple);
    EXPECT_NE(found.find(rule), std::string::npos) << found;
  };
  expect_rule(reason(64 + of_n / 2, 64), of_n);
  expect_rule(reason(64, 64 + of_k / 2), of_k);
}

TEST_P(EveryVariant, KeepsItsBudget) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  check({128, 256, 128, GetParam().variant.dtypes.front()});  // whole tiles of all variants
  kernels::expect_within(GetParam().variant.budget, device->take_counts());
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryVariant, kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

/// The checker itself, on a right output that is then damaged. With many rows only a sample is
/// checked.
class Checker : public testing::TestWithParam<Problem> {
 protected:
  Checker()
      : found(kernels::test_device(device::Kind::cpu)),
        problem(GetParam()),
        inputs(*found.device, problem, Values::normal) {
    expected = inputs.expected(problem);
    c.assign(static_cast<std::size_t>(problem.m * problem.n), 0.0f);
    for (std::size_t i = 0; i < expected.rows.size(); ++i)
      for (std::int64_t j = 0; j < problem.n; ++j)
        c[expected.rows[i] * problem.n + j] = kernels::rounded(
            static_cast<float>(expected.c[i * problem.n + j]), stored_as(problem.dtype));
  }
  Deviation result() {
    device::Buffer<std::byte> memory(*found.device, kernels::stored(c, stored_as(problem.dtype)));
    return deviation(*found.device, problem, expected, memory.data());
  }
  float& last() { return c.back(); }

  kernels::TestDevice found;
  Problem problem;
  Inputs inputs;
  Expected expected;
  std::vector<float> c;
};

TEST_P(Checker, AcceptsTheRoundedProduct) {
  EXPECT_TRUE(result().right());
  EXPECT_EQ(result().error, 0.0);
}
TEST_P(Checker, ChecksFirstAndLastRow) {
  EXPECT_EQ(expected.rows.front(), 0);
  EXPECT_EQ(expected.rows.back(), problem.m - 1);
}
TEST_P(Checker, RejectsNaN) {
  c[problem.n / 2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsInfinity) {
  c[0] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsNaNAlsoBeforeALargerError) {
  c[0] = std::numeric_limits<float>::quiet_NaN();
  last() += 1e6f;
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsOneWrongElement) {
  const std::int64_t row = expected.rows[expected.rows.size() / 2];
  c[row * problem.n + problem.n - 1] += 1.0f;  // a typical sum of k products is sqrt(k), more than
                                               // 5
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsOneMissingProduct) {
  c[0] -= 0.6745f * 0.6745f;  // the median size of a factor is 0.6745
  EXPECT_FALSE(result().right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(c.end() - problem.n, c.end(), std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(result().right());
  std::fill(c.end() - problem.n, c.end(), 0.0f);
  EXPECT_FALSE(result().right());
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, Checker,
    testing::Values(Problem{5, 7, 31, DType::f32}, Problem{4001, 300, 301, DType::f32},
                    Problem{40, 70, 128, DType::bf16}, Problem{40, 70, 128, DType::f16},
                    Problem{40, 70, 128, DType::tf32}, Problem{40, 70, 128, DType::e4m3},
                    Problem{40, 70, 128, DType::e4m3_fast}));

TEST(Oracle, SamplesFewRowsOfALargeProblem) {
  const auto zeros = [](std::int64_t, std::span<float> to) { std::ranges::fill(to, 0.0f); };
  EXPECT_EQ(expect({100, 2, 2, DType::f32}, zeros, zeros, 1).rows.size(), 100u);
  const Expected sampled = expect({4000, 512, 512, DType::f32}, zeros, zeros, 1);
  EXPECT_EQ(sampled.rows.size(), 512u);
  EXPECT_EQ(sampled.rows, expect({4000, 512, 512, DType::f32}, zeros, zeros, 1).rows);
  EXPECT_NE(sampled.rows, expect({4000, 512, 512, DType::f32}, zeros, zeros, 2).rows);
}

TEST(Oracle, ComputesTheInputsThatTheDeviceHolds) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  const Problem problem{3, 2, 5, DType::bf16};
  device::Buffer<std::uint16_t> a(*found.device, 15), b(*found.device, 10);
  found.device->fill(a.data(), DType::bf16, 15, device::Distribution::uniform, 42, 100);
  found.device->fill(b.data(), DType::bf16, 10, device::Distribution::uniform, 42, 200);
  const auto expected = expect_random(problem, {device::Distribution::uniform, 42, 100, 200});
  double sum = 0;
  for (int p = 0; p < 5; ++p)
    sum += static_cast<double>(from_bf16(a.data()[2 * 5 + p])) * from_bf16(b.data()[p * 2 + 1]);
  EXPECT_DOUBLE_EQ(expected->c[2 * 2 + 1], sum);
  EXPECT_EQ(expected, expect_random(problem, {device::Distribution::uniform, 42, 100, 200}))
      << "not from the cache";
  EXPECT_NE(expected, expect_random(problem, {device::Distribution::uniform, 42, 100, 210}));
}

TEST(Oracle, KnowsThatE4m3IsScaledAndItsRightFactorStoredByColumns) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  for (const DType dtype : {DType::e4m3, DType::e4m3_fast}) {
    device::Buffer<std::uint8_t> a(*found.device, 15), b(*found.device, 10);
    found.device->fill(a.data(), dtype, 15, device::Distribution::uniform, 42, 100);
    found.device->fill(b.data(), dtype, 10, device::Distribution::uniform, 42, 200);
    const auto expected =
        expect_random({3, 2, 5, dtype}, {device::Distribution::uniform, 42, 100, 200});
    double sum = 0;
    for (int p = 0; p < 5; ++p)
      sum += static_cast<double>(from_e4m3(a.data()[2 * 5 + p])) * from_e4m3(b.data()[1 * 5 + p]);
    EXPECT_DOUBLE_EQ(expected->c[2 * 2 + 1], sum * 0.75 * 1.375 / 128 / 128);
  }
}

}  // namespace gemm_test
}  // namespace ridgeline::gemm
