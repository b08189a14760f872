#include "kernels/tensor/tensor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"
#include "kernels/test_time.hpp"

namespace ridgeline::tensor {
namespace tensor_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, IsRightForAnySize) {
  for (const DType dtype : GetParam().variant.dtypes)
    for (const std::int64_t groups : {0, 1, 3, 4, 5, 97, 300})
      for (const std::int64_t rounds : {0, 1, 2, 50}) {
        const Problem problem{dtype, groups, rounds};
        if (!GetParam().variant.supports(problem, device->facts()))
          GTEST_SKIP() << "no tensor cores";
        if (kernels::is_emulated(*device) && groups * rounds > 300) continue;
        const RandomFloats a{device::Distribution::uniform, 5, 1000},
            b{device::Distribution::uniform, 6, 0};
        device::Buffer<float> left(*device, static_cast<std::size_t>(problem.left()));
        device::Buffer<float> right(*device, static_cast<std::size_t>(problem.right()));
        device->fill(left.data(), DType::f32, left.size(), a.distribution, a.seed, a.first);
        device->fill(right.data(), DType::f32, right.size(), b.distribution, b.seed, b.first);
        GuardedOutput out(*device, static_cast<std::size_t>(problem.outputs()) * sizeof(float));
        auto* const d = static_cast<float*>(out.data());
        GetParam().variant.launch(problem, {left.data(), right.data(), d}, device->stream());
        device->synchronize();
        EXPECT_EQ(deviation(*device, problem, a, b, d, 1).error, 0.0)
            << groups << " groups of " << to_string(dtype) << ", " << rounds << " rounds";
        EXPECT_TRUE(out.guard_untouched()) << groups << " groups: wrote beyond the end";
        kernels::expect_both_oracles(*device, d, problem.outputs(), [&](const float* copy) {
          return deviation(*device, problem, a, b, copy, 1);
        });
      }
}

TEST_P(EveryVariant, TakesTimeInProportionToRounds) {
  if (kernels::is_emulated(*device)) GTEST_SKIP() << "an emulated device has no times";
  for (const DType dtype : GetParam().variant.dtypes) {
    const Problem problem{dtype, 64, 1};
    if (!GetParam().variant.supports(problem, device->facts()))
      GTEST_SKIP() << GetParam().variant.supports(problem, device->facts()).reason();
    device::Buffer<float> left(*device, static_cast<std::size_t>(problem.left()));
    device::Buffer<float> right(*device, static_cast<std::size_t>(problem.right()));
    device->fill(left.data(), DType::f32, left.size(), device::Distribution::uniform, 5, 0);
    device->fill(right.data(), DType::f32, right.size(), device::Distribution::uniform, 6, 0);
    const device::Buffer<float> out(*device, static_cast<std::size_t>(problem.outputs()));
    const double ratio = kernels::time_of_fourfold([&](std::int64_t rounds) {
      GetParam().variant.launch({dtype, problem.groups, rounds},
                                {left.data(), right.data(), out.data()}, device->stream());
      device->synchronize();
    });
    EXPECT_GE(ratio, 2) << to_string(dtype);
  }
}

TEST_P(EveryVariant, SaysNoToOtherTypes) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::u8})
    EXPECT_FALSE(GetParam().variant.supports({dtype, 64, 1}, device->facts())) << to_string(dtype);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryVariant);  // a build without CUDA has no variant
INSTANTIATE_TEST_SUITE_P(Tensor, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    const auto grid = [](float value) { return std::floor(value * 128.0f) / 128.0f; };
    for (std::int64_t tile = 0; tile < problem.groups * tiles_per_group; ++tile)
      for (int row = 0; row < edge; ++row)
        for (int col = 0; col < edge; ++col) {
          const std::int64_t first = tile / tiles_per_group * tile_elements;
          float sum = static_cast<float>(tile % tiles_per_group) / 8;
          for (int k = 0; k < edge; ++k)
            sum += grid(a(first + std::int64_t{row} * edge + k)) *
                   grid(b(first + std::int64_t{k} * edge + col));
          d.push_back(sum);
        }
  }
  bool right() {
    const device::Buffer<float> memory(*found.device, d);
    return deviation(*found.device, problem, a, b, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{DType::bf16, 5, 3};
  RandomFloats a{device::Distribution::uniform, 9, 0}, b{device::Distribution::uniform, 9, 5000};
  std::vector<float> d;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  d[5] = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsTheSmallestDifference) {
  d[7] += 0x1p-14f;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnUnwrittenLastElement) {
  d.back() = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}

}  // namespace tensor_test
}  // namespace ridgeline::tensor
