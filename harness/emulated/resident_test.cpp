#include "harness/emulated/test/resident.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/emulated/machine.hpp"
#include "harness/emulated/residency.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::emulated {
namespace resident_test {

const Limits limits{.threads = 1024,
                    .shared_bytes = 227 << 10,
                    .l2_bytes = 1 << 20,
                    .cluster_blocks = 8,
                    .units = 4,
                    .threads_per_unit = 2048,
                    .blocks_per_unit = 32,
                    .shared_per_unit = 228 << 10};

struct Lab {
  explicit Lab(const Settings& settings = {.workers = 1}) : machine(limits, settings) {}
  Machine machine;
  device::Stream stream{&machine};

  int* zeros(std::size_t n, const char* name) {
    auto* const made = static_cast<int*>(machine.memory().allocate(n * sizeof(int), name));
    std::fill_n(made, n, 0);
    machine.memory().mark(made, n * sizeof(int), true);
    return made;
  }
  Report report() {
    std::vector<Report> all = machine.take_reports();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Report{} : all.back();
  }
};

std::string checks(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) all += (all.empty() ? "" : ", ") + finding.check;
  return all;
}

TEST(Resident, BlocksMeetAtABarrierOfAtomics) {
  for (const std::uint64_t seed : {0u, 3u}) {
    Lab lab({.workers = 2, .seed = seed});
    constexpr int blocks = 40;
    int *const counter = lab.zeros(1, "counter"), *const written = lab.zeros(blocks, "written"),
               *const to = lab.zeros(blocks, "to");
    for (int launch = 0; launch < 2; ++launch) {
      *counter = 0;
      test::exchange_through_grid_barrier(lab.stream, blocks, reinterpret_cast<unsigned*>(counter),
                                          written, to, true);
      const Report report = lab.report();
      EXPECT_EQ(checks(report), "");
      EXPECT_EQ(report.barriers, 2u * blocks);
      for (int block = 0; block < blocks; ++block) EXPECT_EQ(to[block], (block + 1) % blocks);
    }
  }
}

TEST(Resident, WithoutResidenceABarrierOfTheGridIsADeadlock) {
  Lab lab;
  test::exchange_through_grid_barrier(lab.stream, 40,
                                      reinterpret_cast<unsigned*>(lab.zeros(1, "counter")),
                                      lab.zeros(40, "written"), lab.zeros(40, "to"), false);
  const Report report = lab.report();
  ASSERT_FALSE(report.findings.empty());
  const auto spins = std::ranges::find(report.findings, 0, &Finding::thread);
  ASSERT_NE(spins, report.findings.end());
  EXPECT_EQ(spins->check, "deadlock");
  EXPECT_EQ(spins->detail,
            "reads the same value until block 1 begins, and blocks begin in the order of their "
            "numbers, perhaps one after the other: launch it cooperatively, or wait for lower "
            "numbers alone: counter of 4 bytes + 0");
  const std::uint32_t pcs[] = {spins->pc};
  EXPECT_EQ(source_lines(pcs).at(pcs[0]).file, "harness/emulated/test/resident.cu");
  EXPECT_FALSE(report.completed);
}

TEST(Resident, BlocksWaitForFlagsOfOthers) {
  Lab lab;
  constexpr int blocks = 30;
  int *const flags = lab.zeros(blocks, "flags"), *const sums = lab.zeros(blocks, "sums");
  test::add_up_backwards(lab.stream, blocks, flags, sums);
  EXPECT_EQ(checks(lab.report()), "");
  EXPECT_EQ(sums[0], blocks * (blocks - 1) / 2);
}

TEST(Resident, AForgottenFlagIsADeadlock) {
  for (const test::Forgotten forgotten : {test::Forgotten::flag, test::Forgotten::one_arrival}) {
    Lab lab;
    test::wait_for_flag(lab.stream, forgotten, lab.zeros(1, "flag"), lab.zeros(128, "to"));
    const Report report = lab.report();
    ASSERT_EQ(report.findings.size(), 2u) << checks(report);
    for (const Finding& finding : report.findings) {
      EXPECT_EQ(finding.check, "deadlock");
      EXPECT_EQ(finding.block, 0);
    }
    const bool first_spins = report.findings[0].thread == 0;
    EXPECT_EQ(report.findings[first_spins ? 0 : 1].detail,
              "reads the same value for ever: flag of 4 bytes + 0");
    EXPECT_EQ(report.findings[first_spins ? 1 : 0].detail,
              "waits for threads of its block: of 64, 63 have come, 0 have ended, 1 wait elsewhere "
              "(thread 0)");
    EXPECT_EQ(report.findings[first_spins ? 1 : 0].thread, 1);
  }
  Lab lab;
  test::wait_for_flag(lab.stream, test::Forgotten::nothing, lab.zeros(1, "flag"),
                      lab.zeros(128, "to"));
  EXPECT_EQ(checks(lab.report()), "");
}

TEST(Resident, LanesAndWarpsWaitForEachOther) {
  Lab lab;
  int *const to = lab.zeros(1, "to"), *const lock = lab.zeros(1, "lock");
  test::wait_inside_block(lab.stream, to);
  EXPECT_EQ(checks(lab.report()), "");
  EXPECT_EQ(to[0], 5);
  to[0] = 0;
  test::count_under_lock(lab.stream, lock, to);
  EXPECT_EQ(checks(lab.report()), "");
  EXPECT_EQ(to[0], 64);
}

TEST(Resident, WarpsMeetBehindALock) {
  constexpr int blocks = 3, threads = 96, warps = blocks * threads / 32;
  using enum test::WarpLock;
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 9u})
    for (const auto& [how, each] : {std::pair(by_lanes, 0), {by_warps, 3}, {by_halves, 1}}) {
      Lab lab({.workers = 2, .seed = seed});
      int *const lock = lab.zeros(2, "lock"), *const to = lab.zeros(32, "to");
      test::count_under_warp_lock(lab.stream, how, blocks, threads, lock, to);
      EXPECT_EQ(checks(lab.report()), "") << seed << ' ' << each;
      if (how == by_lanes) {
        EXPECT_EQ(to[0], blocks * threads) << seed;
        EXPECT_EQ(to[1], warps) << seed;
        continue;
      }
      for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(to[lane], each * warps) << seed << ' ' << each;
    }
}

TEST(Resident, IsRefusedWhereTheBlocksDoNotFit) {
  Lab lab;
  const KernelCall nothing{[](const void*) {}, "", 1};
  const auto found = [&](const device::LaunchConfig& config) {
    lab.machine.launch(config, nothing);
    const Report report = lab.report();
    return report.findings.empty() ? std::string()
                                   : report.findings[0].check + ": " + report.findings[0].detail;
  };
  EXPECT_EQ(found({.grid = dim3(8), .block = dim3(1024), .resident = true}), "");
  EXPECT_EQ(found({.grid = dim3(9), .block = dim3(1024), .resident = true}),
            "too many resident blocks: 9 blocks shall run together; 4 SMs hold 8 of 1024 threads, "
            "0 bytes of shared "
            "memory and registers that are not known here");
  const auto starts = [&](const device::LaunchConfig& config, const char* check) {
    const std::string text = found(config);
    EXPECT_TRUE(text.starts_with(check)) << text;
  };
  starts({.grid = dim3(129), .block = dim3(32), .resident = true},
         "too many resident blocks: 129 blocks");
  starts({.grid = dim3(9), .block = dim3(32), .shared_bytes = 100 << 10, .resident = true},
         "too many resident blocks");
  starts({.grid = dim3(16), .cluster = dim3(16)}, "cluster of a wrong size: 16 x 1 x 1 blocks");
  starts({.grid = dim3(6), .cluster = dim3(4)},
         "cluster of a wrong size: a grid of 6 x 1 x 1 blocks");
  starts({.grid = dim3(6), .cluster = dim3(0)}, "cluster of a wrong size: 0 x 1 x 1 blocks");
  starts({.grid = dim3(8), .cluster = dim3(2), .resident = true},
         "unsupported: clusters of a resident grid");
}

TEST(Resident, LaunchesKnowTheSmsOfTheirDevice) {
  Lab lab;
  EXPECT_EQ(device::units(lab.stream), limits.units);
}

TEST(Cluster, BlocksReadEachOthersSharedMemory) {
  for (const std::uint64_t seed : {0u, 5u}) {
    Lab lab({.seed = seed});
    int* const to = lab.zeros(12, "to");
    test::add_up_cluster(lab.stream, 12, to, test::Cluster::right);
    const Report report = lab.report();
    EXPECT_EQ(checks(report), "");
    for (int block = 0; block < 12; ++block) EXPECT_EQ(to[block], 6 + 16 * (block / 4)) << block;
    EXPECT_EQ(total(report, Space::cluster, Act::read).requests, 12u * 3)
        << "its own is shared memory";
    EXPECT_EQ(total(report, Space::shared, Act::read).requests, 12u);
  }
}

TEST(Cluster, NamesMistakes) {
  struct Case {
    test::Cluster how;
    const char* check;
  };
  using enum test::Cluster;
  for (const auto& [how, check] :
       {Case{without_wait, "shared memory of a block that has not begun"},
        {without_last_barrier, "shared memory of a block that has ended"},
        {rank_outside, "out of bounds (cluster)"},
        {one_block_never_arrives, "deadlock, deadlock"}}) {
    Lab lab;
    test::add_up_cluster(lab.stream, 4, lab.zeros(4, "to"), how);
    const Report report = lab.report();
    EXPECT_NE(checks(report).find(check), std::string::npos)
        << check << " is not among: " << checks(report);
  }
}

}  // namespace resident_test
}  // namespace ridgeline::emulated
