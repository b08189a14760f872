#include "kernels/fusion/fusion.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/fusion/oracle.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::fusion {
namespace fusion_test {

using kernels::Deviation;
using kernels::GuardedOutput;

constexpr std::uint64_t mask_seed = 0xFEEDu;

/// Inputs of a problem on the host.
struct Inputs {
  explicit Inputs(const Problem& problem, bool outliers = false) : dtype(problem.dtype) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const auto made = [&](std::int64_t count) {
      std::vector<float> values(static_cast<std::size_t>(count));
      for (float& value : values)
        value = kernels::rounded(normal(random) * (outliers && random() % 100 == 0 ? 10.0f : 1.0f),
                                 dtype);
      return values;
    };
    x = made(problem.elements()), residual = made(problem.elements());
    bias = made(problem.cols), gamma = made(problem.cols), beta = made(problem.cols);
  }
  Sources sources() const {
    const auto source = [](const std::vector<float>& values) -> kernels::Source {
      return [&values](std::int64_t first, std::span<float> to) {
        std::copy_n(values.begin() + first, to.size(), to.begin());
      };
    };
    return {source(x), source(bias), source(residual), source(gamma), source(beta), mask_seed};
  }
  DType dtype;
  std::vector<float> x, bias, residual, gamma, beta;
};

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  /// Runs one problem and checks it. Returns whether the variant supports it.
  bool check(const Problem& problem, bool outliers = false) {
    const Variant& variant = GetParam().variant;
    if (!variant.supports(problem, device->facts())) return false;
    const Inputs inputs(problem, outliers);
    const auto on_device = [&](const std::vector<float>& values) {
      return device::Buffer<std::byte>(*device, kernels::stored(values, problem.dtype));
    };
    const auto x = on_device(inputs.x), bias = on_device(inputs.bias),
               residual = on_device(inputs.residual), gamma = on_device(inputs.gamma),
               beta = on_device(inputs.beta);
    device::Buffer<std::byte> workspace(
        *device, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    workspace.poison();
    GuardedOutput out(*device,
                      static_cast<std::size_t>(problem.elements()) * size_of(problem.dtype));
    variant.launch(problem,
                   {x.data(), bias.data(), residual.data(), gamma.data(), beta.data(), out.data(),
                    workspace.data(), mask_seed},
                   device->stream());
    device->synchronize();
    const Expected expected = expect(problem, inputs.sources(), variant.stored, 1);
    const Deviation found = deviation(*device, problem, expected, out.data());
    EXPECT_TRUE(found.right()) << text(problem) << ": error " << found.error << ", tolerance "
                               << found.tolerance;
    EXPECT_TRUE(out.guard_untouched()) << text(problem) << ": wrote beyond the end";
    return true;
  }
  static std::string text(const Problem& problem) {
    return std::to_string(problem.rows) + " x " + std::to_string(problem.cols) + " " +
           std::string(to_string(problem.dtype));
  }
};

TEST_P(EveryVariant, IsRightForAnyShape) {
  const std::int64_t shapes[][2] = {
      {0, 0},    {0, 8},    {5, 0},    {1, 1},    {3, 2},    {7, 3},    {5, 4},
      {3, 8},    {2, 31},   {2, 32},   {3, 33},   {4, 97},   {1, 128},  {3, 255},
      {2, 256},  {2, 257},  {5, 768},  {3, 1000}, {2, 1023}, {2, 1024}, {2, 1025},
      {2, 2048}, {3, 2056}, {2, 4096}, {2, 4100}, {1, 8191}, {2, 8192}, {33, 40}};
  int done = 0;
  for (const DType dtype : GetParam().variant.dtypes)
    for (const auto& [rows, cols] : shapes) done += check({rows, cols, dtype});
  EXPECT_GE(done, 14);
}

TEST_P(EveryVariant, IsRightWithOutliers) {
  for (const DType dtype : GetParam().variant.dtypes)
    EXPECT_TRUE(check({16, 768, dtype}, /*outliers=*/true));
}

TEST_P(EveryVariant, DoesAnyRowOrSaysWhyNot) {
  const Variant& variant = GetParam().variant;
  for (const DType dtype : {DType::i32, DType::f64})
    EXPECT_FALSE(variant.supports({64, 64, dtype}, device->facts()));
  for (const std::int64_t cols : {1, 7, 768, 1001, 8192, 8193}) {
    const device::Support support = variant.supports({4, cols, DType::f32}, device->facts());
    const bool cpu = GetParam().kind == device::Kind::cpu,
               whole = GetParam().name != "fused_vectorized";
    EXPECT_EQ(static_cast<bool>(support), cpu || (cols <= 8192 && (whole || cols % 4 == 0)))
        << cols;
    EXPECT_EQ(support.reason().empty(), static_cast<bool>(support)) << cols;
  }
}

TEST_P(EveryVariant, AsksOfMemoryWhatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  const Variant& variant = GetParam().variant;
  for (const DType dtype : variant.dtypes) {
    const Problem problem{8, 1024, dtype};
    ASSERT_TRUE(check(problem));
    const device::Counts counts = device->take_counts();
    EXPECT_EQ(counts.launches, static_cast<std::uint64_t>(variant.kernels));
    if (dtype == variant.dtypes.front()) kernels::expect_within(variant.budget, counts);
    kernels::expect_traffic(variant.traffic(problem), counts);
  }
}

INSTANTIATE_TEST_SUITE_P(Fusion, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

TEST(Traffic, FusingSavesTheIntermediateResults) {
  for (const auto& named : variants()) {
    const double arrays =
        named.variant.traffic({1024, 1024, DType::f32}).moved_bytes / (4.0 * 1024 * 1024);
    if (named.kind == device::Kind::cpu)
      EXPECT_EQ(arrays, named.name == "separate" ? 12 : 4) << named.name;
    else
      EXPECT_EQ(arrays, named.name == "separate"            ? 14
                        : named.name == "fused_elementwise" ? 8
                                                            : 6)
          << named.name;
  }
}

/// The checker itself, on a right output that is then damaged.
class Checker : public testing::TestWithParam<Problem> {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)), problem(GetParam()), inputs(problem) {
    expected = expect(problem, inputs.sources(), Stored::none, 1);
    for (const double value : expected.out)
      out.push_back(kernels::rounded(static_cast<float>(value), problem.dtype));
  }
  bool right() { return right(expected); }
  bool right(const Expected& against) {
    const device::Buffer<std::byte> memory(*found.device, kernels::stored(out, problem.dtype));
    return deviation(*found.device, problem, against, memory.data()).right();
  }
  kernels::TestDevice found;
  Problem problem;
  Inputs inputs;
  Expected expected;
  std::vector<float> out;
};

TEST_P(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_P(Checker, RejectsNaN) {
  out[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsOneWrongElement) {
  out.back() += 0.25f;
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(out.end() - 8, out.end(), std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAnotherMask) {
  Sources sources = inputs.sources();
  ++sources.mask_seed;
  EXPECT_FALSE(right(expect(problem, sources, Stored::all, 1)));
}
TEST_P(Checker, RejectsAMissingBias) {
  std::fill(inputs.bias.begin(), inputs.bias.end(), 0.0f);
  EXPECT_FALSE(right(expect(problem, inputs.sources(), Stored::all, 1)));
}

INSTANTIATE_TEST_SUITE_P(Fusion, Checker,
                         testing::Values(Problem{7, 129, DType::f32}, Problem{40, 768, DType::bf16},
                                         Problem{5, 1024, DType::f16}));

TEST(Oracle, NormalisesEachRow) {
  const Problem problem{3, 500};
  Inputs inputs(problem);
  std::fill(inputs.gamma.begin(), inputs.gamma.end(), 1.0f);
  std::fill(inputs.beta.begin(), inputs.beta.end(), 0.0f);
  const Expected expected = expect(problem, inputs.sources(), Stored::none, 1);
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0, squares = 0;
    for (std::size_t col = 0; col < 500; ++col) {
      const double value = expected.out[row * 500 + col];
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum, 0, 1e-9);
    EXPECT_NEAR(squares / 500, 1, 1e-4) << "less by epsilon";
  }
}

TEST(Oracle, DropsATenthOfTheElements) {
  int dropped = 0;
  constexpr int elements = 400'000;
  for (std::int64_t i = 0; i < elements; ++i) {
    const float factor = mask_factor(mask_bits(mask_seed, i / 4), static_cast<int>(i % 4));
    if (factor == 0.0f)
      ++dropped;
    else
      EXPECT_EQ(factor, kept_factor);
  }
  EXPECT_NEAR(dropped, 0.1 * elements, 5 * std::sqrt(0.09 * elements))
      << "five standard deviations";
}

TEST(Oracle, AllowsMoreWhereMoreIsRounded) {
  const Problem problem{4, 256, DType::bf16};
  const Inputs inputs(problem);
  const auto of = [&](Stored stored) {
    return expect(problem, inputs.sources(), stored, 1).tolerance;
  };
  const std::vector<double> none = of(Stored::none), residual = of(Stored::residual),
                            all = of(Stored::all);
  for (std::size_t i = 0; i < none.size(); ++i) {
    EXPECT_LT(none[i], residual[i]);
    EXPECT_LT(residual[i], all[i]);
  }
}

TEST(Oracle, SamplesFewRowsOfALargeProblem) {
  const auto zeros = [](std::int64_t, std::span<float> to) { std::ranges::fill(to, 0.0f); };
  const Expected expected =
      expect({16384, 8192}, {zeros, zeros, zeros, zeros, zeros, 1}, Stored::none, 1);
  EXPECT_EQ(expected.rows.size(), 128u);
  EXPECT_EQ(expected.rows.back(), 16383);
}

TEST(Oracle, ComputesTheInputsThatTheDeviceHolds) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  const Problem problem{2, 5};
  const RandomInputs inputs{device::Distribution::uniform, 42, 100, 200, 300, 400, 500, mask_seed};
  const auto expected = expect_random(problem, inputs, Stored::none);
  EXPECT_EQ(expected, expect_random(problem, inputs, Stored::none)) << "not from the cache";
  device::Buffer<float> beta(*found.device, 5), gamma(*found.device, 5);
  found.device->fill(beta.data(), DType::f32, 5, device::Distribution::uniform, 42, 500);
  found.device->fill(gamma.data(), DType::f32, 5, device::Distribution::uniform, 42, 400);
  double sum = 0;  // of the normalised row, which is 0
  for (int col = 0; col < 5; ++col)
    sum += (expected->out[static_cast<std::size_t>(col)] - beta.data()[col]) / gamma.data()[col];
  EXPECT_NEAR(sum, 0, 1e-9);
}

}  // namespace fusion_test
}  // namespace ridgeline::fusion
