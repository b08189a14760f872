#include "kernels/transpose/transpose.hpp"

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::transpose {
namespace transpose_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, IsRightForAnyShape) {
  const RandomFloats in{device::Distribution::uniform, 5, 1000};
  const std::int64_t shapes[][2] = {{0, 0},       {0, 5},    {5, 0},      {1, 1},     {1, 97},
                                    {97, 1},      {2, 3},    {31, 33},    {32, 32},   {33, 31},
                                    {63, 65},     {64, 64},  {65, 63},    {113, 203}, {239, 1},
                                    {1023, 1024}, {1025, 7}, {2048, 1024}};
  for (const auto& [rows, cols] : shapes) {
    const Problem problem{rows, cols};
    ASSERT_TRUE(GetParam().variant.supports(problem, device->facts()));
    device::Buffer<float> from(*device, static_cast<std::size_t>(problem.elements()));
    device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
    GuardedOutput out(*device, static_cast<std::size_t>(problem.elements()) * sizeof(float));
    auto* const to = static_cast<float*>(out.data());
    GetParam().variant.launch(problem, {from.data(), to}, device->stream());
    device->synchronize();
    EXPECT_EQ(deviation(*device, problem, in, to, 1).error, 0.0) << rows << " x " << cols;
    EXPECT_TRUE(out.guard_untouched()) << rows << " x " << cols << ": wrote beyond the end";
    if (kernels::is_emulated(*device) && problem.elements() > 100'000) continue;
    kernels::expect_both_oracles(*device, to, problem.elements(), [&](const float* copy) {
      return deviation(*device, problem, in, copy, 1);
    });
  }
}

TEST_P(EveryVariant, AsksOfMemoryWhatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  const Problem problem{256, 512};
  const device::Buffer<float> in(
      *device, std::vector<float>(static_cast<std::size_t>(problem.elements()), 1.0f));
  const device::Buffer<float> out(*device, in.size());
  GetParam().variant.launch(problem, {in.data(), out.data()}, device->stream());
  device->synchronize();
  const device::Counts counts = device->take_counts();
  kernels::expect_within(GetParam().variant.budget, counts);
  kernels::expect_traffic(GetParam().variant.traffic(problem), counts);
}

INSTANTIATE_TEST_SUITE_P(Transpose, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    for (std::int64_t col = 0; col < problem.cols; ++col)
      for (std::int64_t row = 0; row < problem.rows; ++row)
        out.push_back(in(row * problem.cols + col));
  }
  bool right() {
    const device::Buffer<float> memory(*found.device, out);
    return deviation(*found.device, problem, in, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{1031, 1500};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<float> out;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  out[5] = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsTheMatrixAsItWas) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in(static_cast<std::int64_t>(i));
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnUnwrittenLastElement) {
  out.back() = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}

}  // namespace transpose_test
}  // namespace ridgeline::transpose
