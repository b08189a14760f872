#include "kernels/chase/chase.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::chase {
namespace chase_test {

using kernels::Level;

class EveryVariant : public kernels::VariantTest<Variant> {};

TEST_P(EveryVariant, EndsWhereTheOracleDoes) {
  for (const Level level : {Level::l1, Level::dram})
    for (const std::int64_t lines : {1, 2, 3, 64, 1021, 100'003})
      for (const std::int64_t loads : {0, 1, 2, 15, 16, 17, 1000}) {
        const Problem problem{level, lines, loads, 128};
        ASSERT_TRUE(GetParam().variant.supports(problem, device->facts()));
        const kernels::Permutation order = make_order(problem, 4);
        device::Buffer<std::uint64_t> memory(*device, problem.bytes() / sizeof(std::uint64_t));
        write_lines(*device, problem, 4, memory.data());
        device::Buffer<std::uint64_t> end(*device, 1);
        for (const std::size_t start : {std::size_t{0}, problem.starts() - 1}) {
          end.poison();
          const auto* const base = reinterpret_cast<const std::byte*>(memory.data());
          GetParam().variant.launch(problem,
                                    {base + begin_of(problem, order, start) * 128, end.data()},
                                    device->stream());
          device->synchronize();
          const std::uint64_t right =
              reinterpret_cast<std::uint64_t>(base) + end_of(problem, order, start) * 128;
          EXPECT_EQ(end.download()[0], right)
              << lines << " lines, " << loads << " loads, start " << start;
        }
      }
}

TEST_P(EveryVariant, GetsTheLinesThatAreMadeOnItsDevice) {
  for (const kernels::Judge where : {kernels::Judge::cpu, kernels::Judge::device}) {
    if (GetParam().kind == device::Kind::cpu && where == kernels::Judge::device) continue;
    const kernels::JudgedBy by(where);
    for (const std::int64_t lines : {0, 1, 2, 255, 1000})
      for (const int line_bytes : {64, 128}) {
        const Problem problem{Level::dram, lines, 10, line_bytes};
        const kernels::Permutation order = make_order(problem, 4);
        device::Buffer<std::uint64_t> memory(*device, problem.bytes() / sizeof(std::uint64_t));
        memory.poison();
        write_lines(*device, problem, 4, memory.data());
        device->synchronize();
        EXPECT_EQ(memory.download(), make_lines(problem, order, memory.data())) << lines;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Chase, EveryVariant, kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

TEST(Order, IsOneCycleThroughAllLines) {
  for (const std::int64_t count : {1, 2, 3, 1000, 1024, 70'001}) {
    const Problem problem{Level::dram, count, 10, 64};
    const std::vector<std::uint64_t> lines = make_lines(problem, make_order(problem, 1), nullptr);
    std::vector<bool> seen(static_cast<std::size_t>(count), false);
    std::uint64_t at = 0;
    for (std::int64_t step = 0; step < count; ++step) {
      ASSERT_EQ(at % 64, 0u);
      ASSERT_FALSE(seen[at / 64]) << "back after " << step << " steps";
      seen[at / 64] = true;
      at = lines[at / 8];
    }
    EXPECT_EQ(at, 0u);
  }
}

// A step that returns now and then would let a prefetcher guess.
TEST(Order, TakesStepsOfAllLengths) {
  const Problem problem{Level::dram, 70'001, 10, 64};
  const kernels::Permutation order = make_order(problem, 1);
  std::map<std::uint64_t, int> seen;
  int most = 0;
  for (std::uint64_t k = 0; k + 1 < 70'001; ++k)
    most = std::max(most, ++seen[(order(k + 1) - order(k) + 70'001) % 70'001]);
  EXPECT_LE(most, 12) << "of a random order, one step in a million occurs 9 times or more";
}

TEST(Starts, GoOnceAroundTheCycleTogether) {
  const Problem problem{Level::dram, 1010, 100, 64};
  const kernels::Permutation order = make_order(problem, 1);
  ASSERT_EQ(problem.starts(), 10u);
  for (std::uint64_t start = 0; start < 10; ++start) {
    EXPECT_EQ(begin_of(problem, order, start), order(start * 101));
    EXPECT_EQ(end_of(problem, order, start), order(start * 101 + 100));
  }
}

TEST(Starts, DifferAlsoWhereALaunchGoesAroundTheCycle) {
  for (const std::int64_t loads : {64, 100, 128}) {
    const Problem problem{Level::l1, 64, loads, 64};
    const kernels::Permutation order = make_order(problem, 1);
    ASSERT_EQ(problem.starts(), 1u);
    EXPECT_NE(end_of(problem, order, 0), end_of(problem, order, 1));
  }
}

TEST(Sizes, FillTheLevelTheyAreFor) {
  device::Facts facts;
  facts.l1 = 48 << 10;
  facts.l2 = 1 << 20;
  facts.last_level_cache = 32 << 20;
  facts.memory = 24ull << 30;
  EXPECT_EQ(problem_for(Level::l1, facts).bytes(), 24u << 10);
  EXPECT_EQ(problem_for(Level::l2, facts).bytes(), 512u << 10);
  EXPECT_EQ(problem_for(Level::llc, facts).bytes(), 16u << 20);
  EXPECT_EQ(problem_for(Level::dram, facts).bytes(), 256u << 20);
  facts.last_level_cache = facts.l2;
  EXPECT_EQ(problem_for(Level::llc, facts).lines, 0) << "no cache behind L2";
}

}  // namespace chase_test
}  // namespace ridgeline::chase
