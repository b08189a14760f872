#include "kernels/divergence/divergence.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::divergence {
namespace divergence_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryVariant);  // a build without CUDA has none

TEST_P(EveryVariant, IsRightOnAnyPath) {
  const Variant& variant = GetParam().variant;
  const RandomFloats in{device::Distribution::uniform, 5, 1000};
  for (const int ways : {1, 2, 4, 8, 16, 32})
    for (const std::int64_t elements : {0, 1, 31, 33, 255, 257, 1021, 4096}) {
      const Problem problem{elements, ways};
      ASSERT_TRUE(variant.supports(problem, device->facts()));
      device::Buffer<float> from(*device, static_cast<std::size_t>(elements));
      device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
      GuardedOutput out(*device, static_cast<std::size_t>(elements) * sizeof(float));
      auto* const to = static_cast<float*>(out.data());
      variant.launch(problem, {from.data(), to}, device->stream());
      device->synchronize();
      EXPECT_EQ(deviation(*device, problem, variant.grouping, in, to, 1).error, 0.0)
          << elements << " elements, " << ways << " ways";
      EXPECT_TRUE(out.guard_untouched()) << elements << " elements: wrote beyond the end";
      kernels::expect_both_oracles(*device, to, elements, [&](const float* copy) {
        return deviation(*device, problem, variant.grouping, in, copy, 1);
      });
    }
}

TEST_P(EveryVariant, MakesARequestAPath) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  const Variant& variant = GetParam().variant;
  for (const int ways : {1, 2, 4, 8, 16, 32}) {
    const Problem problem{2048, ways};
    const device::Buffer<float> in(*device, std::vector<float>(2048, 0.5f)), out(*device, 2048);
    variant.launch(problem, {in.data(), out.data()}, device->stream());
    device->synchronize();
    const device::Counts counts = device->take_counts();
    const auto paths = static_cast<std::uint64_t>(paths_of_a_warp(variant.grouping, problem));
    for (const char* const kind : {"load", "store"}) {
      const kernels::Requests requests = kernels::requests_of(counts, "global", kind);
      EXPECT_EQ(requests.requests, 2048 / 32 * paths) << kind << ", " << ways << " ways";
      EXPECT_EQ(requests.lanes, 2048u) << kind << ", " << ways << " ways";
    }
    kernels::expect_traffic(variant.traffic(problem), counts);
  }
}

TEST_P(EveryVariant, SaysNoToOtherNumbersOfWays) {
  for (const int ways : {0, 3, 64})
    EXPECT_FALSE(GetParam().variant.supports({1024, ways}, device->facts())) << ways;
}

INSTANTIATE_TEST_SUITE_P(Divergence, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    for (std::int64_t i = 0; i < problem.elements; ++i) {
      float x = in(i);
      for (int step = 0; step < steps; ++step)
        x = std::fmaf(factor, x, constant_of(static_cast<int>(i % problem.ways)));
      out.push_back(x);
    }
  }
  bool right(Grouping grouping = Grouping::by_lane) {
    const device::Buffer<float> memory(*found.device, out);
    return deviation(*found.device, problem, grouping, in, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{5003, 8};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<float> out;
};

TEST_F(Checker, AcceptsMultiplyAdds) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  out[5] = std::bit_cast<float>(kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsOneElementOfTheNextPath) {
  out[7] = out[8];
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsTheOtherGrouping) { EXPECT_FALSE(right(Grouping::by_warp)); }

TEST(Problem, CountsPathsAndLanes) {
  EXPECT_EQ(paths_of_a_warp(Grouping::by_lane, {64, 8}), 8);
  EXPECT_EQ(active_lanes(Grouping::by_lane, {64, 8}), 4);
  EXPECT_EQ(paths_of_a_warp(Grouping::by_warp, {64, 8}), 1);
  EXPECT_EQ(active_lanes(Grouping::by_warp, {64, 8}), 32);
  EXPECT_EQ(way_of(Grouping::by_lane, 37, 4), 1);
  EXPECT_EQ(way_of(Grouping::by_warp, 37, 4), 1);
  EXPECT_EQ(way_of(Grouping::by_warp, 31, 4), 0);
}

TEST(Traffic, EachPathOfAWarpMakesItsOwnRequests) {
  for (const auto& named : variants()) {
    const bool lanes = named.variant.grouping == Grouping::by_lane;
    const double sectors[] = {4, 4, 4, 4, 2, 1};
    for (int power = 0; power <= 5; ++power) {
      const kernels::Traffic traffic = named.variant.traffic({1 << 20, 1 << power});
      EXPECT_EQ(traffic.sectors_per_request, lanes ? sectors[power] : 4) << (1 << power) << " ways";
      EXPECT_EQ(traffic.moved_bytes,
                lanes ? 8.0 * (1 << 20) * std::min(1 << power, 8) : 8.0 * (1 << 20));
    }
  }
}

}  // namespace divergence_test
}  // namespace ridgeline::divergence
