#include "kernels/ptx/test/cluster.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "harness/emulated/machine.hpp"

// What goes from one block of a cluster to another: which check finds which mistake.
namespace ridgeline::ptx::test {
namespace cluster_test {

using emulated::Finding;
using emulated::Report;

constexpr int blocks = 4, rounds = 8, readers = 128;

Report run_sharing(Sharing mistake, std::uint64_t seed) {
  emulated::Machine machine({.threads = 1024, .shared_bytes = 227 << 10, .cluster_blocks = 8},
                            {.seed = seed});
  device::Stream stream{&machine};
  const auto allocate = [&](std::size_t bytes, const char* name) {
    void* const memory = machine.memory().allocate(bytes, name);
    std::memset(memory, 1, bytes);
    machine.memory().mark(memory, bytes, true);
    return memory;
  };
  share_boxes(stream, mistake,
              static_cast<unsigned short*>(allocate(std::size_t{rounds} * 1024 * 2, "from")),
              blocks, rounds,
              static_cast<unsigned*>(allocate(std::size_t{blocks} * readers * 4, "to")));
  return machine.take_reports().at(0);
}

std::string text_of_all(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings)
    all += finding.check + " (" + finding.detail + "); ";
  return all;
}

TEST(ClusterMutations, TheKernelItselfIsRightAndCountsTheSameWhateverTheOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Report report = run_sharing(Sharing::right, seed);
    EXPECT_TRUE(report.findings.empty()) << text_of_all(report);
    const emulated::Site loads =
        emulated::total(report, emulated::Space::bulk, emulated::Act::read);
    EXPECT_EQ(loads.requests, std::uint64_t{blocks} * rounds) << "one box a block and round";
    EXPECT_EQ(loads.lanes, std::uint64_t{blocks} * rounds * 1024)
        << "bytes: a multicast reads once for all";
  }
}

TEST(ClusterMutations, EachMistakeIsFoundByTheCheckThatIsMeantForIt) {
  struct Case {
    Sharing mistake;
    const char* check;
    const char* detail;  // part of it
  };
  using enum Sharing;
  for (const Case& each :
       {Case{no_fence_after_init, "missing fence (mbarrier)", "full + 0, an mbarrier"},
        {no_cluster_barrier, "shared memory of a block that has not begun",
         "block 1 of the cluster"},
        {hands_over_relaxed, "race (read after write)", "first_sum"},
        {waits_for_its_own_alone, "race (write after write)",
         "of block 1, with its asynchronous unit"},
        {tells_its_own_alone, "deadlock",
         "thread 128 waits at empty + 0 for parity 0, in phase 0: 4 arrivals and 0 bytes are "
         "outstanding"},
        {leaves_early, "shared memory of a block that has ended", "of the cluster"},
        {rank_outside, "out of bounds (cluster)", "blocks by the mask 0x7, of a cluster of 2"}})
    for (const std::uint64_t seed : {0, 1, 2}) {
      const Report report = run_sharing(each.mistake, seed);
      const auto finding = std::ranges::find(report.findings, each.check, &Finding::check);
      ASSERT_NE(finding, report.findings.end()) << static_cast<int>(each.mistake) << ": not "
                                                << each.check << " but " << text_of_all(report);
      EXPECT_NE(finding->detail.find(each.detail), std::string::npos) << finding->detail;
    }
}

}  // namespace cluster_test
}  // namespace ridgeline::ptx::test
