#include "harness/analysis/siblings.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace siblings_test {

/// Runs of `devices` of three processes each, of so many cases of two suites. A process is noisy
/// as a whole by 0.5%, and each case in it by as much again.
struct Machine {
  int devices = 4, processes = 3, cases = 12;
  unsigned seed = 1;
  std::vector<double> slower = {};  // factors, by device
  double slower_suite = 1;          // of the first device's second suite

  std::vector<SiblingRun> runs() const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 0.005);
    std::vector<SiblingRun> found;
    for (int d = 0; d < devices; ++d) {
      SiblingRun run{"cuda:" + std::to_string(d), {}};
      for (int c = 0; c < cases; ++c) {
        record::Case info;
        info.id = {c % 2 == 0 ? "gemm" : "rows", "v", "f32", {{"n", std::to_string(c)}}, {}};
        run.timings.cases.push_back(info);
      }
      for (int r = 0; r < processes; ++r) {
        const double of_process = normal(random);
        for (int c = 0; c < cases; ++c) {
          store::Timing timing;
          timing.case_index = static_cast<std::size_t>(c);
          timing.replicate = r;
          timing.outcome = record::Outcome::ok;
          const std::size_t at = static_cast<std::size_t>(d);
          timing.median_ns = 1000.0 * (c + 1) * std::exp(of_process + normal(random)) *
                             (at < slower.size() ? slower[at] : 1) *
                             (d == 0 && c % 2 == 1 ? slower_suite : 1);
          run.timings.timings.push_back(timing);
        }
      }
      found.push_back(std::move(run));
    }
    return found;
  }
};

TEST(Siblings, NamesTheSlowerOneAlone) {
  const std::vector<SiblingsOfSuite> found =
      compare_siblings(Machine{.slower = {1, 1, 1.05}}.runs());
  ASSERT_EQ(found.size(), 3U) << "all, gemm and rows";
  EXPECT_EQ(found[0].suite, "");
  EXPECT_EQ(found[0].cases, 12);
  EXPECT_EQ(found[0].processes, 3);
  for (const SiblingsOfSuite& suite : found)
    for (const Sibling& sibling : suite.devices)
      EXPECT_EQ(sibling.is_slower(), sibling.device == "cuda:2") << suite.suite;
  EXPECT_NEAR(found[0].devices[2].ratio, 1.05, 0.01);
}

TEST(Siblings, NamesTheSuiteInWhichADeviceIsSlower) {
  const std::vector<SiblingsOfSuite> found =
      compare_siblings(Machine{.devices = 2, .processes = 5, .slower_suite = 1.05}.runs());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[1].devices[0].is_slower());
  EXPECT_TRUE(found[2].devices[0].is_slower()) << found[2].suite;
  EXPECT_FALSE(found[2].devices[1].is_slower());
}

TEST(Siblings, EqualDevicesAreRarelyAccused) {
  int accused = 0, found = 0;
  constexpr int machines = 1000;
  for (int i = 0; i < machines; ++i) {
    const auto seed = static_cast<unsigned>(i + 1);
    bool any = false;
    for (const SiblingsOfSuite& suite : compare_siblings(Machine{.seed = seed}.runs()))
      for (const Sibling& sibling : suite.devices) any = any || sibling.is_slower();
    accused += any ? 1 : 0;
    const auto planted = compare_siblings(Machine{.seed = seed, .slower = {1.03}}.runs());
    found += planted[0].devices[0].is_slower() ? 1 : 0;
  }
  EXPECT_LE(accused, machines * 5 / 100);
  EXPECT_GE(found, machines * 90 / 100);
}

TEST(Siblings, OnlyCasesOfAllProcessesCount) {
  std::vector<SiblingRun> runs = Machine{}.runs();
  runs[1].timings.timings[0].outcome = record::Outcome::timeout;  // process 0, case 0
  runs[2].timings.cases[1].id.variant = "other";
  const std::vector<SiblingsOfSuite> found = compare_siblings(runs);
  EXPECT_EQ(found[0].cases, 10);
  EXPECT_EQ(found[0].processes, 3);
}

TEST(Siblings, ADeviceWithoutTimesIsLeftOut) {
  std::vector<SiblingRun> runs = Machine{.devices = 3}.runs();
  for (store::Timing& timing : runs[1].timings.timings) timing.outcome = record::Outcome::crashed;
  const std::vector<SiblingsOfSuite> found = compare_siblings(runs);
  ASSERT_EQ(found.at(0).devices.size(), 2U);
  EXPECT_EQ(found[0].devices[1].device, "cuda:2");
}

TEST(Siblings, OneProcessHasNoIntervalAndOneDeviceNoSiblings) {
  const std::vector<SiblingsOfSuite> found = compare_siblings(Machine{.processes = 1}.runs());
  EXPECT_FALSE(found[0].devices[0].interval);
  EXPECT_FALSE(found[0].devices[0].is_slower());
  EXPECT_TRUE(compare_siblings(Machine{.devices = 1}.runs()).empty());
  EXPECT_TRUE(compare_siblings(Machine{.cases = 0}.runs()).empty());
}

}  // namespace siblings_test
}  // namespace ridgeline::analysis
