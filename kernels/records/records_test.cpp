#include "kernels/records/records.hpp"

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::records {
namespace records_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, IsRightForAnySize) {
  const Variant& variant = GetParam().variant;
  const RandomFloats in{device::Distribution::uniform, 5, 1000};
  for (const int used : {1, fields})
    for (const std::int64_t elements : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1021, 400'009}) {
      const Problem problem{elements, used};
      ASSERT_TRUE(variant.supports(problem, device->facts()));
      device::Buffer<float> from(*device, static_cast<std::size_t>(elements * fields));
      device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
      GuardedOutput out(*device, static_cast<std::size_t>(elements) * sizeof(float));
      auto* const to = static_cast<float*>(out.data());
      variant.launch(problem, {from.data(), to}, device->stream());
      device->synchronize();
      EXPECT_EQ(deviation(*device, problem, variant.layout, in, to, 1).error, 0.0)
          << elements << " records, " << used << " fields";
      EXPECT_TRUE(out.guard_untouched()) << elements << " records: wrote beyond the end";
      kernels::expect_both_oracles(*device, to, elements, [&](const float* copy) {
        return deviation(*device, problem, variant.layout, in, copy, 1);
      });
    }
}

TEST_P(EveryVariant, SaysNoToOtherNumbersOfFields) {
  for (const int used : {0, 2, 9})
    EXPECT_FALSE(GetParam().variant.supports({1024, used}, device->facts()));
}

TEST_P(EveryVariant, AsksForTheSectorsThatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  for (const int used : {1, fields}) {
    const Problem problem{1 << 12, used};
    const device::Buffer<float> in(
        *device, std::vector<float>(static_cast<std::size_t>(problem.elements * fields), 1.0f));
    const device::Buffer<float> out(*device, static_cast<std::size_t>(problem.elements));
    GetParam().variant.launch(problem, {in.data(), out.data()}, device->stream());
    device->synchronize();
    kernels::expect_traffic(GetParam().variant.traffic(problem), device->take_counts());
  }
}

INSTANTIATE_TEST_SUITE_P(Records, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::TestWithParam<Layout> {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    for (std::int64_t i = 0; i < problem.elements; ++i) {
      float sum = 0;
      for (int f = 0; f < fields; ++f)
        sum += in(GetParam() == Layout::array_of_structs ? i * 8 + f : f * problem.elements + i);
      out.push_back(sum);
    }
  }
  bool right() {
    const device::Buffer<float> memory(*found.device, out);
    return deviation(*found.device, problem, GetParam(), in, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{10'007, fields};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<float> out;
};

TEST_P(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_P(Checker, RejectsNaN) {
  out[5] = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAMissingField) {
  out.back() -= in(GetParam() == Layout::array_of_structs ? 10'006 * 8 + 7 : 7 * 10'007 + 10'006);
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsTheOtherLayout) {
  const device::Buffer<float> memory(*found.device, out);
  const Layout other =
      GetParam() == Layout::array_of_structs ? Layout::struct_of_arrays : Layout::array_of_structs;
  EXPECT_FALSE(deviation(*found.device, problem, other, in, memory.data(), 1).right());
}

INSTANTIATE_TEST_SUITE_P(Records, Checker,
                         testing::Values(Layout::array_of_structs, Layout::struct_of_arrays));

TEST(Traffic, OfRecordsIsEightTimesThatOfArraysForOneField) {
  for (const auto& named : variants()) {
    const bool structs = named.variant.layout == Layout::array_of_structs;
    const kernels::Traffic traffic = named.variant.traffic({1 << 20, 1});
    if (named.kind != device::Kind::cpu) {
      EXPECT_EQ(traffic.sectors_per_request, structs ? 32 : 4);
      EXPECT_EQ(traffic.moved_bytes, (1 << 20) * (structs ? 36.0 : 8.0));
    } else {
      EXPECT_EQ(traffic.moved_bytes, (1 << 20) * (structs ? 40.0 : 12.0));
    }
  }
}

}  // namespace records_test
}  // namespace ridgeline::records
