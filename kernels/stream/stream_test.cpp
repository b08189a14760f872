#include "kernels/stream/stream.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "kernels/bits.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"
#include "kernels/test_time.hpp"

namespace ridgeline::stream {
namespace stream_test {

using kernels::GuardedOutput;
using kernels::Level;
using kernels::RandomFloats;

/// Random inputs on a device, and what the oracle knows of them.
struct Inputs {
  Inputs(device::Device& device, std::int64_t elements)
      : memory(device, static_cast<std::size_t>(2 * elements)),
        a{device::Distribution::uniform, 7, 100},
        b{device::Distribution::uniform, 7, 100 + static_cast<std::uint64_t>(elements)} {
    device.fill(memory.data(), DType::f32, memory.size(), a.distribution, a.seed, a.first);
  }
  device::Buffer<float> memory;
  RandomFloats a, b;
};

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  /// Whether the variant could do it at all.
  bool check(const Problem& problem) {
    const Variant& variant = GetParam().variant;
    if (problem.elements > 0 && !variant.supports(problem, device->facts())) return false;
    const Inputs inputs(*device, problem.elements);
    GuardedOutput out(*device, static_cast<std::size_t>(problem.outputs()) * sizeof(float));
    // b starts wherever a ends, which need not be aligned: its own buffer.
    device::Buffer<float> b(*device, static_cast<std::size_t>(problem.elements));
    device->fill(b.data(), DType::f32, b.size(), inputs.b.distribution, inputs.b.seed,
                 inputs.b.first);
    variant.launch(problem, {inputs.memory.data(), b.data(), out.data()}, device->stream());
    device->synchronize();
    EXPECT_TRUE(deviation(*device, problem, inputs.a, inputs.b, out.data(), 1).right())
        << problem.elements << " elements at " << kernels::to_string(problem.level);
    EXPECT_TRUE(out.guard_untouched()) << problem.elements << " elements: wrote beyond the end";
    // Of as many sizes on an emulated device, those of a few blocks are enough.
    if (kernels::is_emulated(*device) &&
        (problem.elements > 100'000 || problem.outputs() > 100'000))
      return true;
    kernels::expect_both_oracles(
        *device, static_cast<std::uint32_t*>(out.data()), problem.outputs(),
        [&](const void* copy) { return deviation(*device, problem, inputs.a, inputs.b, copy, 1); });
    return true;
  }
};

TEST_P(EveryVariant, IsRightForAnySize) {
  const Operation operation = GetParam().variant.operation;
  // All of an array for every unit is much for a device whose accesses are followed.
  const int units = operation == Operation::read_by_all ? 3 : device->facts().units;
  const std::vector<std::int64_t> all{0,  1,   2,   3,   4,    15,   16,   17,   63,    64,
                                      65, 127, 128, 129, 1021, 4095, 4096, 4097, 65537, 1'000'003},
      few{0, 1, 4097, 65537};
  if (!GetParam().variant.supports({operation, Level::dram, 1, 1, units}, device->facts()))
    GTEST_SKIP() << "not for this device";
  const auto check_sizes = [&](const Shape& shape, const std::vector<std::int64_t>& sizes) {
    for (const Level level : GetParam().variant.levels) {
      int checked = 0;
      for (const std::int64_t elements : sizes)
        checked += check({operation, level, elements, 3, units, shape}) ? 1 : 0;
      // The largest may not fit in shared memory.
      EXPECT_GE(checked, std::ssize(sizes) - (level == Level::shared ? 1 : 0));
    }
  };
  check_sizes({}, is_repeated() ? few : all);
  for (const Shape& shape : GetParam().variant.shapes) check_sizes(shape, few);
}

// So few sums that damage to each is tried on an emulated device, too.
TEST_P(EveryVariant, IsRightOnTwoUnits) {
  const Operation operation = GetParam().variant.operation;
  if (!GetParam().variant.supports({operation, Level::dram, 1, 1, 2}, device->facts()))
    GTEST_SKIP() << "not for this device";
  for (const Level level : GetParam().variant.levels)
    EXPECT_TRUE(check({operation, level, 1021, 3, 2})) << kernels::to_string(level);
}

TEST_P(EveryVariant, IsRightWithEveryInstructionSet) {
  if (GetParam().kind != device::Kind::cpu)
    GTEST_SKIP() << "only CPU variants pick an instruction set";
  const simd::Isa before = simd::isa_in_use();
  for (const simd::Isa isa : simd::usable()) {
    simd::isa_in_use() = isa;
    for (const Level level : GetParam().variant.levels)
      for (const std::int64_t elements : {1, 31, 257, 10007})
        check({GetParam().variant.operation, level, elements, 2, device->facts().units});
  }
  simd::isa_in_use() = before;
}

TEST_P(EveryVariant, TakesTimeInProportionToPasses) {
  if (kernels::is_emulated(*device)) GTEST_SKIP() << "an emulated device has no times";
  const Operation operation = GetParam().variant.operation;
  for (const Level level : GetParam().variant.levels) {
    const Problem problem{operation, level, 1 << 18, 1, device->facts().units};
    const Inputs inputs(*device, problem.elements);
    const device::Buffer<float> out(
        *device, static_cast<std::size_t>(std::max(problem.outputs(), problem.elements)));
    const double ratio = kernels::time_of_fourfold([&](std::int64_t passes) {
      Problem longer = problem;
      longer.passes = static_cast<int>(passes);
      GetParam().variant.launch(
          longer, {inputs.memory.data(), inputs.memory.data() + problem.elements, out.data()},
          device->stream());
      device->synchronize();
    });
    EXPECT_GE(ratio, 2) << kernels::to_string(level);
  }
}

TEST(TimeOfFourfold, IsNotTwoForWorkThatIgnoresHowOften) {
  EXPECT_LT(kernels::time_of_fourfold(
                [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }),
            2);
}

INSTANTIATE_TEST_SUITE_P(Stream, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

/// The checker itself, on a right output of each operation that is then damaged.
class Checker : public testing::TestWithParam<Operation> {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)) {
    problem = {GetParam(), Level::dram, 5'000'011, 1, 2};
    out.assign(static_cast<std::size_t>(problem.outputs()), 0);
    for (std::int64_t i = 0; i < problem.elements; ++i) {
      if (problem.sums()) {
        out[static_cast<std::size_t>(i % problem.outputs())] +=
            static_cast<std::uint32_t>(problem.times()) * std::bit_cast<std::uint32_t>(a(i));
      } else {
        out[static_cast<std::size_t>(i)] =
            std::bit_cast<std::uint32_t>(GetParam() == Operation::copy ? a(i) : a(i) + 2.0f * b(i));
      }
    }
  }
  bool right() {
    const device::Buffer<std::uint32_t> memory(*found.device, out);
    return deviation(*found.device, problem, a, b, memory.data(), 1).right();
  }

  kernels::TestDevice found;
  Problem problem;
  RandomFloats a{device::Distribution::uniform, 3, 50},
      b{device::Distribution::uniform, 3, 6'000'000};
  std::vector<std::uint32_t> out;
};

TEST_P(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_P(Checker, RejectsNaN) {
  out.front() = kernels::poison_bits;
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsOneWrongBitInTheLastElement) {
  out.back() ^= 1;
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(out.end() - 16, out.end(), kernels::poison_bits);
  EXPECT_FALSE(right());
}

INSTANTIATE_TEST_SUITE_P(Stream, Checker,
                         testing::Values(Operation::read, Operation::copy, Operation::triad,
                                         Operation::read_by_all));

TEST(Problem, CountsWhatEveryUnitReads) {
  const Problem one{Operation::read, Level::llc, 1000, 3, 4},
      all{Operation::read_by_all, Level::llc, 1000, 3, 4};
  EXPECT_EQ(one.bytes(), 12'000);
  EXPECT_EQ(all.bytes(), 48'000);
  EXPECT_EQ(all.outputs(), one.outputs());
}

double bytes_of(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.elements) * problem.arrays();
}

TEST(Sizes, FillTheLevelTheyAreFor) {
  device::Facts facts;
  facts.l1 = 48 << 10;
  facts.l2 = 1 << 20;
  facts.last_level_cache = 32 << 20;
  facts.units = 2;
  facts.memory = 24ull << 30;
  for (const Operation operation : {Operation::read, Operation::copy, Operation::triad}) {
    const auto bytes = [&](Level level) { return bytes_of(problem_for(operation, level, facts)); };
    EXPECT_LE(bytes(Level::l1), 48 << 10);
    EXPECT_GE(bytes(Level::l1), 24 << 10);
    EXPECT_GE(bytes(Level::llc), 4 << 20);
    EXPECT_LE(bytes(Level::llc), 16 << 20);
    EXPECT_GE(bytes(Level::dram), 127 << 20);
    facts.kind = device::Kind::cuda;
    EXPECT_GE(bytes(Level::dram), 1535 << 20);  // a sixteenth of 24 GiB
    facts.kind = device::Kind::cpu;
  }
}

TEST(Sizes, FollowTheCoresAndNotTheCacheThatOthersShare) {
  device::Facts facts;
  facts.l1 = 48 << 10;
  facts.l2 = 2 << 20;
  facts.last_level_cache = 260 << 20;
  facts.units = 2;
  facts.memory = 64ull << 30;
  for (const Operation operation : {Operation::read, Operation::copy, Operation::triad}) {
    const Problem llc = problem_for(operation, Level::llc, facts),
                  dram = problem_for(operation, Level::dram, facts);
    EXPECT_GE(bytes_of(llc), 2.0 * 2 * (2 << 20));
    EXPECT_LE(bytes_of(llc), 32 << 20);
    for (const Problem& problem : {llc, dram})
      EXPECT_LE(problem.bytes(), 128 << 20) << kernels::to_string(problem.level);
  }
}

TEST(Sizes, ShareThePassesWhereAllUnitsReadAll) {
  device::Facts facts;
  facts.kind = device::Kind::cuda;
  facts.last_level_cache = 50 << 20;
  facts.units = 132;
  facts.memory = 80ull << 30;
  facts.shared_per_unit = 228 << 10;
  const Problem one = problem_for(Operation::read, Level::llc, facts),
                all = problem_for(Operation::read_by_all, Level::llc, facts);
  EXPECT_NEAR(bytes_of(all), bytes_of(one) / 2, 4096);
  EXPECT_GE(all.passes, 2);
  EXPECT_NEAR(all.bytes(), one.bytes(), 0.2 * one.bytes());
  const Problem shared = problem_for(Operation::read, Level::shared, facts);
  EXPECT_LE(bytes_of(shared), 132.0 * (114 << 10));
  EXPECT_GE(bytes_of(shared), 132.0 * (110 << 10));
  facts.kind = device::Kind::cpu;
  EXPECT_EQ(problem_for(Operation::read, Level::shared, facts).elements, 0);
}

TEST(Sizes, LeaveOutALastLevelCacheThatL2sOutgrow) {
  device::Facts facts;
  facts.l2 = 2 << 20;
  facts.units = 56;
  facts.last_level_cache = 105 << 20;
  facts.memory = 256ull << 30;
  for (const auto& [name, kind, variant] : variants()) {
    if (kind != device::Kind::cpu) continue;
    facts.units = 56;
    EXPECT_FALSE(variant.supports(problem_for(variant.operation, Level::llc, facts), facts))
        << name;
    EXPECT_TRUE(variant.supports(problem_for(variant.operation, Level::dram, facts), facts))
        << name;
    facts.units = 12;  // 48 MiB lie beyond L2 and within half of the cache
    EXPECT_TRUE(variant.supports(problem_for(variant.operation, Level::llc, facts), facts)) << name;
    facts.units = 14;  // 56 MiB do not
    EXPECT_FALSE(variant.supports(problem_for(variant.operation, Level::llc, facts), facts))
        << name;
  }
}

TEST(Sizes, TakeLittleOfALittleMemory) {
  device::Facts facts;
  facts.last_level_cache = 32 << 20;
  facts.units = 2;
  facts.memory = 2ull << 30;
  const Problem problem = problem_for(Operation::read, Level::dram, facts);
  EXPECT_EQ(problem.elements * 4, 64 << 20);
  EXPECT_EQ(problem.passes, 1);
}

}  // namespace stream_test
}  // namespace ridgeline::stream
