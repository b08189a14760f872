#include "kernels/occupancy/occupancy.hpp"

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"
#include "kernels/test_time.hpp"

namespace ridgeline::occupancy {
namespace occupancy_test {

using kernels::GuardedOutput;
using kernels::RandomFloats;

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  /// Ways to put work in flight that this kind of device knows.
  bool loads() const { return GetParam().variant.operation == Operation::load; }

  std::vector<Problem> problems(std::int64_t elements) const {
    std::vector<Problem> all;
    Problem problem{.operation = GetParam().variant.operation, .elements = elements};
    problem.rounds = kernels::is_emulated(*device) ? 1 : 3;
    const device::Facts& facts = device->facts();
    const bool cpu = facts.kind == device::Kind::cpu;
    const std::vector<Limit> limits =
        cpu ? std::vector{Limit::threads}
            : std::vector{Limit::block, Limit::registers, Limit::shared};
    // Multiply-adds have neither a width nor a number of elements.
    const std::vector<int> widths = cpu       ? std::vector{64}
                                    : loads() ? std::vector{4, 8, 16}
                                              : std::vector{4};
    problem.units = cpu ? 1 : kernels::is_emulated(*device) ? 1 : facts.units;
    problem.vector = cpu ? simd::shape().floats : 1;
    problem.shared_per_unit = facts.shared_per_unit;
    for (const Limit limit : limits)
      for (const int parallel : {1, 2, 4, 8, 16, 32, 64})
        for (const int independent : {1, 2, 4, 8, 16})
          for (const int width : widths) {
            problem.limit = limit;
            problem.parallel = parallel;
            problem.independent = independent;
            problem.width = width;
            all.push_back(problem);
          }
    return all;
  }

  /// Runs one problem and checks it. Returns whether the variant supports it.
  bool check(const Problem& problem, std::uint32_t* census = nullptr) {
    if (!GetParam().variant.supports(problem, device->facts())) return false;
    const std::int64_t inputs =
        problem.operation == Operation::load ? problem.elements : problem.lanes();
    const RandomFloats in{device::Distribution::uniform, 5, 1000};
    device::Buffer<float> from(*device, static_cast<std::size_t>(inputs));
    device->fill(from.data(), DType::f32, from.size(), in.distribution, in.seed, in.first);
    GuardedOutput out(*device, static_cast<std::size_t>(problem.outputs()) * sizeof(float));
    GetParam().variant.launch(problem, {from.data(), out.data(), census}, device->stream());
    device->synchronize();
    EXPECT_EQ(deviation(*device, problem, in, out.data(), 1).error, 0.0) << text(problem);
    EXPECT_TRUE(out.guard_untouched()) << text(problem) << ": wrote beyond the end";
    // Of as many ways to do the same on an emulated device, some are enough.
    if (!kernels::is_emulated(*device) || problem.parallel * problem.independent <= 8)
      kernels::expect_both_oracles(
          *device, static_cast<std::uint32_t*>(out.data()), problem.outputs(),
          [&](const void* copy) { return deviation(*device, problem, in, copy, 1); });
    return true;
  }

  static std::string text(const Problem& problem) {
    return std::string(to_string(problem.limit)) + " " + std::to_string(problem.parallel) + " x " +
           std::to_string(problem.independent) + ", width " + std::to_string(problem.width) + ", " +
           std::to_string(problem.elements) + " elements";
  }
};

TEST_P(EveryVariant, IsRightHoweverMuchIsInFlight) {
  int done = 0;
  for (const std::int64_t elements : {1 << 9, kernels::is_emulated(*device) ? 1 << 14 : 1 << 18}) {
    for (const Problem& problem : problems(elements)) done += check(problem);
    if (!loads()) break;
  }
  EXPECT_GE(done, 8);
}

TEST_P(EveryVariant, IsRightForAnySize) {
  if (!loads()) GTEST_SKIP() << "multiply-adds have no size";
  int done = 0;
  for (const std::int64_t elements :
       {0, 1, 2, 3, 15, 16, 17, 127, 128, 129, 1021, 65'537, 1'000'003})
    for (Problem problem : problems(elements)) {
      if (problem.parallel > 8 || problem.independent > 4) continue;
      if (kernels::is_emulated(*device) && elements > 2000) continue;
      done += check(problem);
    }
  EXPECT_GE(done, 2)
      << "a CPU's loads want whole lines: 0 and 16 elements are all it does of these";
}

TEST_P(EveryVariant, TakesTimeInProportionToRounds) {
  if (GetParam().variant.operation != Operation::fma) GTEST_SKIP() << "loads are done once";
  if (kernels::is_emulated(*device)) GTEST_SKIP() << "an emulated device has no times";
  for (Problem problem : problems(0)) {
    if (problem.parallel > 4 || !GetParam().variant.supports(problem, device->facts())) continue;
    if (problem.independent != 1 && problem.independent != 16) continue;
    device::Buffer<float> in(*device, static_cast<std::size_t>(problem.lanes()));
    device->fill(in.data(), DType::f32, in.size(), device::Distribution::uniform, 5, 0);
    const device::Buffer<float> out(*device, in.size());
    const double ratio = kernels::time_of_fourfold([&](std::int64_t rounds) {
      problem.rounds = rounds;
      GetParam().variant.launch(problem, {in.data(), out.data()}, device->stream());
      device->synchronize();
    });
    EXPECT_GE(ratio, 2) << text(problem);
  }
}

TEST_P(EveryVariant, HoldsAsManyWarpsAsItSays) {
  if (GetParam().kind != device::Kind::cuda) GTEST_SKIP() << "only a GPU limits its warps";
  int done = 0;
  for (Problem problem : problems(1 << 26)) {
    if (problem.width != 4 || (problem.independent != 1 && problem.independent != 16)) continue;
    problem.rounds = 501;
    device::Buffer<std::uint32_t> census(*device, std::size_t{2} * census_units);
    device->upload(census.data(), std::vector<std::uint32_t>(census.size(), 0).data(),
                   census.bytes());
    if (!check(problem, census.data())) continue;
    ++done;
    const Residency predicted = GetParam().variant.predict(problem, device->facts());
    EXPECT_EQ(predicted.warps(), problem.parallel) << text(problem);
    EXPECT_NEAR(warps_that_ran(census.download(), predicted), problem.parallel,
                0.05 * problem.parallel)
        << text(problem);
  }
  EXPECT_GE(done, 20);
}

TEST_P(EveryVariant, IsLimitedByWhatItSays) {
  if (GetParam().kind != device::Kind::cuda) GTEST_SKIP() << "only a GPU limits its warps";
  int done = 0;
  for (const Problem& problem : problems(1 << 20)) {
    if (problem.limit == Limit::block || !GetParam().variant.supports(problem, device->facts()))
      continue;
    if (problem.parallel * 32 == device->facts().max_threads_per_unit)
      continue;  // the SM itself is the limit
    ++done;
    const Residency predicted = GetParam().variant.predict(problem, device->facts());
    EXPECT_EQ(predicted.blocks_that_fit, predicted.blocks_per_unit)
        << text(problem) << ": one more would fit";
  }
  EXPECT_GE(done, 30);
}

TEST_P(EveryVariant, IsPredictedWithoutAGpu) {
  if (GetParam().kind != device::Kind::emulated)
    GTEST_SKIP() << "the CUDA runtime predicts, and a CPU limits nothing";
  int done = 0;
  for (const Problem& problem : problems(1 << 20)) {
    if (!GetParam().variant.supports(problem, device->facts())) continue;
    const Residency predicted = GetParam().variant.predict(problem, device->facts());
    EXPECT_EQ(predicted.warps(), problem.parallel) << text(problem);
    // What nvcc's registers allow is not known in this program.
    if (problem.limit != Limit::shared ||
        problem.parallel * 32 == device->facts().max_threads_per_unit)
      continue;
    ++done;
    EXPECT_EQ(predicted.blocks_that_fit, predicted.blocks_per_unit)
        << text(problem) << ": one more would fit";
  }
  EXPECT_GE(done, 20);
}

TEST_P(EveryVariant, SaysNoWithAReason) {
  Problem problem{.operation = GetParam().variant.operation, .elements = 1 << 12};
  problem.limit = GetParam().kind == device::Kind::cpu ? Limit::shared : Limit::threads;
  EXPECT_FALSE(GetParam().variant.supports(problem, device->facts()));
  problem = problems(1 << 12).front();
  problem.parallel = 1 << 20;
  const device::Support support = GetParam().variant.supports(problem, device->facts());
  EXPECT_FALSE(support);
  EXPECT_FALSE(support.reason().empty());
}

INSTANTIATE_TEST_SUITE_P(Occupancy, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

class Checker : public testing::Test {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)), out(2, 0) {
    for (std::int64_t i = 0; i < problem.elements; ++i)
      out[static_cast<std::size_t>(i % 2)] += std::bit_cast<std::uint32_t>(in(i));
  }
  bool right() {
    const device::Buffer<std::uint32_t> memory(*found.device, out);
    return deviation(*found.device, problem, in, memory.data(), 1).right();
  }
  kernels::TestDevice found;
  Problem problem{.parallel = 2, .independent = 4, .width = 64, .elements = 5001};
  RandomFloats in{device::Distribution::uniform, 9, 0};
  std::vector<std::uint32_t> out;
};

TEST_F(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_F(Checker, RejectsAnUnwrittenSum) {
  out[1] = kernels::poison_bits;
  EXPECT_FALSE(right());
}
TEST_F(Checker, RejectsAMissingElement) {
  out[0] -= std::bit_cast<std::uint32_t>(in(0));
  EXPECT_FALSE(right());
}

TEST(Census, IsTheMeanOverUnitsThatHadBlocks) {
  std::vector<std::uint32_t> census(std::size_t{2} * census_units, 0);
  census[1] = 3;
  census[7] = 5;
  EXPECT_EQ(warps_that_ran(census, {4, 2}), 8.0);
  EXPECT_EQ(warps_that_ran(std::vector<std::uint32_t>(census.size(), 0), {4, 2}), 0.0);
}

TEST(Problem, CountsWhatIsInFlight) {
  Problem gpu{.limit = Limit::block, .parallel = 8, .independent = 4, .width = 16, .units = 132};
  EXPECT_EQ(gpu.bytes_in_flight(), 8.0 * 32 * 4 * 16);
  EXPECT_EQ(gpu.threads(), 132 * 8 * 32);
  Problem cpu{.parallel = 2, .independent = 4, .width = 64, .vector = 16};
  EXPECT_EQ(cpu.bytes_in_flight(), 4.0 * 64) << "of one core";
  EXPECT_EQ(cpu.lanes(), 2 * 4 * 16);
}

}  // namespace occupancy_test
}  // namespace ridgeline::occupancy
