#include "kernels/memory/memory.hpp"

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::memory {
namespace memory_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, CopiesWhatItShouldAndNothingElse) {
  const Variant& variant = GetParam().variant;
  const RandomFloats in{device::Distribution::uniform, 5, 1000};
  int done = 0;
  for (const std::int64_t elements :
       {0, 1, 2, 3, 5, 31, 32, 33, 255, 256, 257, 1021, 1023, 1024, 1025, 70001, 2'000'003})
    for (const Problem& problem :
         {Problem{elements, 1, 0, 4}, Problem{elements, 2, 0, 4}, Problem{elements, 7, 0, 4},
          Problem{elements, 32, 0, 4}, Problem{elements, 1, 1, 4}, Problem{elements, 1, 31, 4},
          Problem{elements, 1, 0, 8}, Problem{elements, 1, 0, 16}, Problem{elements, 1, 0, 2 << 10},
          Problem{elements, 1, 0, 8 << 10}, Problem{elements, 1, 0, 32 << 10}}) {
      if (!variant.supports(problem, device->facts())) continue;
      ++done;
      device::Buffer<float> from(*device, static_cast<std::size_t>(elements));
      device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
      GuardedOutput to(*device, static_cast<std::size_t>(elements) * sizeof(float));
      auto* const out = static_cast<float*>(to.data());
      variant.launch(problem, {from.data(), out}, device->stream());
      device->synchronize();
      EXPECT_EQ(deviation(*device, problem, in, out, 1).error, 0.0)
          << "elements=" << elements << " stride=" << problem.stride << " offset=" << problem.offset
          << " width=" << problem.width;
      EXPECT_TRUE(to.guard_untouched()) << elements << " elements: wrote beyond the end";
      if (kernels::is_emulated(*device) && elements > 70001) continue;
      kernels::expect_both_oracles(*device, out, elements, [&](const float* copy) {
        return deviation(*device, problem, in, copy, 1);
      });
    }
  EXPECT_GE(done, 17 * 3);
}

TEST_P(EveryVariant, SaysNoWithAReasonToOtherPatterns) {
  const device::Support support = GetParam().variant.supports({1024, 3, 5, 16}, device->facts());
  EXPECT_FALSE(support);
  EXPECT_FALSE(support.reason().empty());
}

TEST_P(EveryVariant, AsksForTheSectorsThatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  const Variant& variant = GetParam().variant;
  constexpr std::int64_t elements = 1 << 15;
  int done = 0;
  for (const Problem& problem :
       {Problem{elements, 1, 0, 4}, Problem{elements, 2, 0, 4}, Problem{elements, 4, 0, 4},
        Problem{elements, 8, 0, 4}, Problem{elements, 16, 0, 4}, Problem{elements + 8, 1, 8, 4},
        Problem{elements + 1, 1, 1, 4}, Problem{elements, 1, 0, 8}, Problem{elements, 1, 0, 16},
        Problem{elements, 1, 0, 2 << 10}, Problem{elements, 1, 0, 8 << 10},
        Problem{elements, 1, 0, 32 << 10}}) {
    if (!variant.supports(problem, device->facts())) continue;
    ++done;
    SCOPED_TRACE(testing::Message() << "stride " << problem.stride << ", offset " << problem.offset
                                    << ", width " << problem.width);
    const device::Buffer<float> in(
        *device, std::vector<float>(static_cast<std::size_t>(problem.elements), 1.0f));
    const device::Buffer<float> out(*device, in.size());
    variant.launch(problem, {in.data(), out.data()}, device->stream());
    device->synchronize();
    kernels::expect_traffic(variant.traffic(problem), device->take_counts());
  }
  EXPECT_GE(done, 3);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)), out(3'000'017, kernels::poison_bits) {
    for (std::int64_t i = 0; i < problem.elements; i += problem.stride)
      out[static_cast<std::size_t>(i)] = std::bit_cast<std::uint32_t>(in(i));
  }
  bool right() {
    const device::Buffer<std::uint32_t> memory(*found.device, out);
    return deviation(*found.device, problem, in, reinterpret_cast<const float*>(memory.data()), 1)
        .right();
  }
  kernels::TestDevice found;
  Problem problem{3'000'017, 4, 0, 4};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<std::uint32_t> out;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsNaN) {
  out[0] = kernels::poison_bits;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsOneWrongBit) {
  out[3'000'016] ^= 1;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnUnwrittenTail) {
  std::fill(out.end() - 64, out.end(), kernels::poison_bits);
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAnElementThatShouldHaveBeenLeftAlone) {
  out[1] = 0;
  EXPECT_FALSE(right());
}

/// The machinery of all oracles of devices, on any device that has one.
class OracleOfADevice : public testing::TestWithParam<device::Kind> {
 protected:
  void SetUp() override {
    found = kernels::test_device(GetParam());
    if (!found.device) GTEST_SKIP() << found.reason;
  }
  kernels::Deviation deviate(const std::vector<float>& out, const RandomFloats& in) {
    const device::Buffer<float> memory(*found.device, out);
    const kernels::JudgedBy own(kernels::Judge::device);
    const auto count = static_cast<std::int64_t>(out.size());
    return deviation(*found.device, {count, 1, 0, 4}, in, memory.data(), 1);
  }
  kernels::TestDevice found;
};

TEST_P(OracleOfADevice, JudgesOnAGpuAlone) {
  EXPECT_EQ(kernels::judged_on(*found.device), GetParam() == device::Kind::cuda);
}

TEST_P(OracleOfADevice, CountsEveryWrongElement) {
  const RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<float> out;
  for (std::int64_t i = 0; i < 3000; ++i) out.push_back(in(i));
  EXPECT_EQ(deviate(out, in).error, 0);
  for (const std::size_t wrong : {0, 255, 256, 257, 511, 2999}) out[wrong] += 1;
  EXPECT_EQ(deviate(out, in).error, 6);
  EXPECT_EQ(deviate(out, in).checked, Checked::whole);
  EXPECT_EQ(deviate(std::vector<float>(3000, 7.0f), in).error, 3000);
}

TEST_P(OracleOfADevice, KnowsInputsOfZeros) {
  const RandomFloats in{device::Distribution::zeros, 9, 0};
  std::vector<float> out(1000, 0.0f);
  EXPECT_EQ(deviate(out, in).error, 0);
  out[999] = -0.0f;
  EXPECT_EQ(deviate(out, in).error, 1);
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  const RandomFloats in{device::Distribution::uniform, 9, 0}, others{in.distribution, 9, 1};
  const std::vector<float> out(70'000, 0.0f);
  const device::Buffer<float> memory(*found.device, out);
  const kernels::JudgedBy own(kernels::Judge::device);
  // In every element, in the first one, in the last one.
  for (const std::int64_t differs : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{69'999}}) {
    try {
      kernels::compare_bits(
          *found.device, memory.data(), 70'000, 1,
          [&](std::int64_t i) { return differs < 0 || differs == i ? others(i) : in(i); },
          kernels::bound("a test", in.distribution, device_oracle(), Problem{70'000, 1, 0, 4}, in));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_NE(std::string(error.what()).find("oracle of a test"), std::string::npos)
          << error.what();
    }
  }
}

TEST_P(OracleOfADevice, IsJudgedByInputsThatTellWhatItReads) {
  const std::vector<float> out(1000, 0.0f);
  const device::Buffer<float> memory(*found.device, out);
  const kernels::JudgedBy own(kernels::Judge::device);
  const auto compare = [&](device::Distribution distribution) {  // the CPU's has another seed
    const RandomFloats in{distribution, 9, 0}, others{distribution, 10, 0};
    return kernels::compare_bits(*found.device, memory.data(), 1000, 1, others,
                                 kernels::bound("a test of zeros", distribution, device_oracle(),
                                                Problem{1000, 1, 0, 4}, in));
  };
  EXPECT_TRUE(compare(device::Distribution::zeros).right());
  EXPECT_THROW(compare(device::Distribution::uniform), Error);
}

INSTANTIATE_TEST_SUITE_P(Memory, OracleOfADevice,
                         testing::Values(device::Kind::cuda, device::Kind::emulated),
                         [](const auto& info) {
                           return std::string(device::to_string(info.param)) + "_oracle";
                         });

// The table of NVIDIA's programming guide, by stride, offset and width.
TEST(Traffic, CountsTheSectorsOfAWarp) {
  const auto sectors = [](std::int64_t stride, std::int64_t offset, int width) {
    return gpu_traffic({1 << 20, stride, offset, width}).sectors_per_request;
  };
  EXPECT_EQ(sectors(1, 0, 4), 4);
  EXPECT_EQ(sectors(2, 0, 4), 8);
  EXPECT_EQ(sectors(4, 0, 4), 16);
  EXPECT_EQ(sectors(8, 0, 4), 32);
  EXPECT_EQ(sectors(32, 0, 4), 32);
  EXPECT_EQ(sectors(1, 1, 4), 5);
  EXPECT_EQ(sectors(1, 8, 4), 4);
  EXPECT_EQ(sectors(1, 31, 4), 5);
  EXPECT_EQ(sectors(1, 0, 8), 8);
  EXPECT_EQ(sectors(1, 0, 16), 16);
}

TEST(Traffic, CountsTheBytesThatMove) {
  EXPECT_EQ(gpu_traffic({1 << 20, 1, 0, 4}).moved_bytes, 8.0 * (1 << 20));
  EXPECT_EQ(gpu_traffic({1 << 20, 1, 0, 16}).moved_bytes, 8.0 * (1 << 20));
  EXPECT_EQ(gpu_traffic({1 << 20, 8, 0, 4}).moved_bytes, 8.0 * (1 << 20))
      << "every sector of the array";
  EXPECT_EQ(cpu_traffic({1 << 20, 1, 0, 4}).moved_bytes, 12.0 * (1 << 20))
      << "a written line is fetched first";
  EXPECT_EQ(cpu_traffic({1 << 20, 16, 0, 4}).moved_bytes, 12.0 * (1 << 20))
      << "every line of the array";
  EXPECT_EQ(cpu_traffic({1 << 20, 32, 0, 4}).moved_bytes, 6.0 * (1 << 20));
  EXPECT_EQ(cpu_traffic({0, 32, 0, 4}).moved_bytes, 0.0);
}

}  // namespace memory_test
}  // namespace ridgeline::memory
