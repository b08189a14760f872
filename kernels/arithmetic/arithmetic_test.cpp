#include "kernels/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"
#include "kernels/test_time.hpp"

namespace ridgeline::arithmetic {
namespace arithmetic_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  void check(const Problem& problem) {
    const RandomFloats in{device::Distribution::uniform, 5, 1000};
    device::Buffer<float> from(*device, static_cast<std::size_t>(problem.lanes));
    device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
    GuardedOutput out(*device, static_cast<std::size_t>(problem.lanes) * size_of(problem.dtype));
    GetParam().variant.launch(problem, {from.data(), out.data()}, device->stream());
    device->synchronize();
    EXPECT_EQ(deviation(*device, problem, in, out.data(), 1).error, 0.0)
        << problem.lanes << " lanes of " << to_string(problem.dtype) << ", " << problem.rounds
        << " rounds";
    EXPECT_TRUE(out.guard_untouched()) << problem.lanes << " lanes: wrote beyond the end";
    const auto expect_both_oracles = [&](const auto* result) {
      kernels::expect_both_oracles(*device, result, problem.lanes, [&](const void* copy) {
        return deviation(*device, problem, in, copy, 1);
      });
    };
    if (problem.dtype == DType::f16) expect_both_oracles(static_cast<std::uint16_t*>(out.data()));
    if (problem.dtype == DType::f32) expect_both_oracles(static_cast<float*>(out.data()));
    if (problem.dtype == DType::f64) expect_both_oracles(static_cast<double*>(out.data()));
  }
};

TEST_P(EveryVariant, IsRightForAnySize) {
  int done = 0;
  for (const DType dtype : GetParam().variant.dtypes)
    for (const std::int64_t lanes :
         {0, 1, 2, 7, 64, 127, 128, 129, 511, 512, 1021, 2048, 2049, 20'000})
      for (const std::int64_t rounds : {0, 1, 2, 3}) {
        const Problem problem{dtype, lanes, rounds};
        if (!GetParam().variant.supports(problem, device->facts())) continue;
        ++done;
        check(problem);
      }
  EXPECT_GE(done, 14 * 4 * 2);
}

TEST_P(EveryVariant, IsRightWithEveryInstructionSet) {
  if (GetParam().kind != device::Kind::cpu)
    GTEST_SKIP() << "only CPU variants pick an instruction set";
  const simd::Isa before = simd::isa_in_use();
  for (const simd::Isa isa : simd::usable()) {
    simd::isa_in_use() = isa;
    for (const DType dtype : GetParam().variant.dtypes) check({dtype, 5003, 3});
  }
  simd::isa_in_use() = before;
}

TEST_P(EveryVariant, SaysNoToOtherTypes) {
  for (const DType dtype : {DType::i32, DType::u8, DType::bf16, DType::tf32})
    EXPECT_FALSE(GetParam().variant.supports({dtype, 1024, 1}, device->facts()))
        << to_string(dtype);
}

TEST_P(EveryVariant, TakesTimeInProportionToRounds) {
  if (kernels::is_emulated(*device)) GTEST_SKIP() << "an emulated device has no times";
  for (const DType dtype : GetParam().variant.dtypes) {
    const Problem problem{dtype, 20'000, 1};
    if (!GetParam().variant.supports(problem, device->facts())) continue;
    device::Buffer<float> in(*device, static_cast<std::size_t>(problem.lanes));
    device->fill(in.data(), DType::f32, in.size(), device::Distribution::uniform, 5, 0);
    const device::Buffer<double> out(*device, in.size());
    const double ratio = kernels::time_of_fourfold([&](std::int64_t rounds) {
      GetParam().variant.launch({dtype, problem.lanes, rounds}, {in.data(), out.data()},
                                device->stream());
      device->synchronize();
    });
    EXPECT_GE(ratio, 2) << to_string(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    for (std::int64_t i = 0; i < problem.lanes; ++i) out.push_back(in(i) + 0.25f);
  }
  bool right() {
    const device::Buffer<float> memory(*found.device, out);
    return deviation(*found.device, problem, in, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{DType::f32, 5000, 3};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<float> out;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  out[5] = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAMissingStep) {
  out[7] -= 0x1p-10f;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnUnwrittenLastElement) {
  out.back() = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}

}  // namespace arithmetic_test
}  // namespace ridgeline::arithmetic
