#include "harness/run/expected_ranks.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace expected_ranks_test {

class ExpectedRanks : public testing::Test {
 protected:
  ExpectedRanks() {
    plain_.name = "suites";
    ranks_.name = "collectives";
    ranks_.hello.launcher = "mpirun";
    device_.properties["cores"] = "4";
  }

  Selected selected(const Worker& worker, int ranks) const {
    record::Case info;
    info.ranks = ranks;
    return {&worker, info, fmt::format("{}/{}", worker.name, ranks), ""};
  }

  /// What is said of these cases; empty when nothing is wrong.
  std::string said(int expected, const std::vector<Selected>& cases,
                   ErrorKind kind = ErrorKind::usage) const {
    try {
      expect_ranks(expected, cases, {ranks_}, device_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_FALSE(error.advice().empty());
      return error.what();
    }
    return {};
  }

  Worker plain_, ranks_;
  record::Device device_;
};

TEST_F(ExpectedRanks, AreThoseOfAllCasesUnderALauncher) {
  EXPECT_EQ(said(2, {selected(ranks_, 2), selected(plain_, 1), selected(ranks_, 2)}), "");
  EXPECT_EQ(said(2, {selected(ranks_, 2), selected(ranks_, 1), selected(ranks_, 4)}),
            "--expect-ranks 2: of the chosen cases 2 are measured by another number of ranks, "
            "collectives/1 by 1");
  EXPECT_EQ(said(2, {selected(ranks_, 1)}),
            "--expect-ranks 2: of the chosen cases one is measured by another number of ranks, "
            "collectives/1 by 1");
}

TEST_F(ExpectedRanks, AreNotThoseOfCasesWithoutALauncher) {
  EXPECT_EQ(said(1, {selected(plain_, 1)}),
            "--expect-ranks 1: none of 1 chosen case is measured by ranks");
}

TEST_F(ExpectedRanks, OnOtherHostsHavePlacesThatNobodyKnowsHere) {
  ranks_.launcher.hosts = "hosts";
  EXPECT_EQ(said(8, {selected(ranks_, 8)}), "");
  EXPECT_NE(said(8, {selected(ranks_, 4)}), "");
}

TEST_F(ExpectedRanks, AreWhatOptionsOfALauncherAreAbout) {
  require_ranks("--hosts x", {selected(plain_, 1), selected(ranks_, 2)}, "how");
  EXPECT_THROW(require_ranks("--hosts x", {selected(plain_, 1)}, "how"), Error);
}

TEST_F(ExpectedRanks, NeedAGpuOrACoreEach) {
  EXPECT_EQ(said(8, {selected(ranks_, 8)}, ErrorKind::dependency),
            "--expect-ranks 8: 8 ranks need as many cores, and there are 4");
  EXPECT_EQ(said(4, {selected(ranks_, 4)}), "");
  device_.properties["cores"] = "many";
  EXPECT_EQ(said(8, {selected(ranks_, 8)}), "") << "nobody says how many there are";
  device_.kind = DeviceKind::cuda;
  record::Device gpu = device_;
  gpu.id = "cuda:0";
  ranks_.devices.devices = {gpu};
  EXPECT_EQ(said(2, {selected(ranks_, 2)}, ErrorKind::dependency),
            "--expect-ranks 2: 2 ranks need as many GPUs, and there is 1");
  gpu.id = "cuda:1";
  ranks_.devices.devices.push_back(gpu);
  EXPECT_EQ(said(2, {selected(ranks_, 2)}), "");
}

}  // namespace expected_ranks_test
}  // namespace ridgeline::run
