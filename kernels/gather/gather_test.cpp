#include "kernels/gather/gather.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::gather {
namespace gather_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, IsRightForAnySize) {
  const RandomFloats in{device::Distribution::uniform, 5, 1000};
  for (const Order order : {Order::sequential, Order::random})
    for (const std::int64_t elements :
         {0, 1, 2, 3, 31, 32, 33, 1021, 1023, 1024, 1025, 2'000'003}) {
      const Problem problem{elements, order};
      ASSERT_TRUE(GetParam().variant.supports(problem, device->facts()));
      device::Buffer<float> from(*device, static_cast<std::size_t>(elements));
      device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
      const device::Buffer<std::int32_t> index(*device, make_index(problem, 11));
      GuardedOutput out(*device, static_cast<std::size_t>(elements) * sizeof(float));
      auto* const to = static_cast<float*>(out.data());
      GetParam().variant.launch(problem, {from.data(), index.data(), to}, device->stream());
      device->synchronize();
      EXPECT_EQ(deviation(*device, problem, in, 11, to, 1).error, 0.0) << elements << " elements";
      EXPECT_TRUE(out.guard_untouched()) << elements << " elements: wrote beyond the end";
      if (kernels::is_emulated(*device) && elements > 100'000) continue;
      kernels::expect_both_oracles(*device, to, elements, [&](const float* copy) {
        return deviation(*device, problem, in, 11, copy, 1);
      });
    }
}

TEST_P(EveryVariant, GetsTheIndexThatIsMadeOnItsDevice) {
  for (const kernels::Judge where : {kernels::Judge::cpu, kernels::Judge::device}) {
    if (GetParam().kind == device::Kind::cpu && where == kernels::Judge::device) continue;
    const kernels::JudgedBy by(where);
    for (const Order order : {Order::sequential, Order::random})
      for (const std::int64_t elements : {0, 1, 255, 257, 5000}) {
        const device::Buffer<std::int32_t> index(*device, static_cast<std::size_t>(elements));
        write_index(*device, {elements, order}, 11, {index.data()});
        device->synchronize();
        EXPECT_EQ(index.download(), make_index({elements, order}, 11)) << elements;
      }
  }
}

TEST_P(EveryVariant, AsksForTheSectorsThatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  for (const Order order : {Order::sequential, Order::random}) {
    const Problem problem{1 << 16, order};
    const device::Buffer<float> in(*device, std::vector<float>(1 << 16, 1.0f)),
        out(*device, 1 << 16);
    const device::Buffer<std::int32_t> index(*device, make_index(problem, 11));
    GetParam().variant.launch(problem, {in.data(), index.data(), out.data()}, device->stream());
    device->synchronize();
    const device::Counts counts = device->take_counts();
    const kernels::Traffic traffic = GetParam().variant.traffic(problem);
    if (order == Order::sequential) {
      kernels::expect_traffic(traffic, counts);
    } else {  // now and then two lanes meet in a sector
      const auto all = kernels::requests_of(counts, "global", "load", "store");
      EXPECT_NEAR(static_cast<double>(all.sectors) * kernels::sector / traffic.moved_bytes, 1,
                  0.01);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gather, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

TEST(Support, EndsWhereTheIndexEnds) {
  EXPECT_TRUE(fits_index({std::int64_t{1} << 31, Order::random}, {}));
  EXPECT_FALSE(fits_index({(std::int64_t{1} << 31) + 1, Order::random}, {}));
}

TEST(Index, IsAPermutationWithoutPattern) {
  for (const std::int64_t elements : {1, 2, 3, 4, 5, 8, 9, 1000, 4096, 100'003}) {
    std::vector<std::int32_t> index = make_index({elements, Order::random}, 3);
    std::int64_t near = 0;
    for (std::size_t i = 1; i < index.size(); ++i)
      near += std::abs(index[i] - index[i - 1]) < elements / 32;
    if (elements >= 1000) {
      EXPECT_LT(near, elements / 8) << elements;  // 1/16 of the steps of a random order are that
                                                  // short
    }
    std::sort(index.begin(), index.end());
    for (std::size_t i = 0; i < index.size(); ++i)
      ASSERT_EQ(index[i], static_cast<std::int32_t>(i)) << elements;
  }
  EXPECT_NE(make_index({4096, Order::random}, 1), make_index({4096, Order::random}, 2));
}

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    for (const std::int32_t i : make_index(problem, 2))
      out.push_back(std::bit_cast<std::uint32_t>(in(i)));
  }
  bool right() {
    const device::Buffer<std::uint32_t> memory(*found.device, out);
    return deviation(*found.device, problem, in, 2, reinterpret_cast<const float*>(memory.data()),
                     1)
        .right();
  }
  kernels::TestDevice found;
  Problem problem{1'500'001, Order::random};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<std::uint32_t> out;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  out[5] = kernels::poison_bits;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsTwoElementsInTheWrongOrder) {
  std::swap(out[0], out[1]);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnUnwrittenTail) {
  out.back() = kernels::poison_bits;
  EXPECT_FALSE(right());
}

}  // namespace gather_test
}  // namespace ridgeline::gather
