#include "harness/emulated/test/global_races.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/emulated/test/lab.hpp"

namespace ridgeline::emulated {
namespace global_races_test {

using test::checks;
using test::Exchange;
using test::Lab;

TEST(GlobalRaces, AreFoundInsideABlock) {
  using enum Exchange;
  struct Case {
    Exchange how;
    const char* checks;
  };
  const Case cases[] = {
      {barrier, ""},
      {warp_barrier, ""},
      {none, "race (write after read), race (read after write)"},
      {none_in_warp, "race (read after write)"},
      {written_twice, "race (write after write)"},
      {written_after_read, "race (read after write), race (write after read)"},
      {atomics, ""},
      {bytes, ""},
      {fences, ""},
      {ordered_atomics, ""},
      {one_fence, "race (read after write)"},
  };
  for (const Case& each : cases) {
    Lab lab;
    test::exchange_globally(lab.stream(), each.how, lab.filled(std::vector<int>(256)));
    EXPECT_EQ(checks(lab.report()), each.checks) << static_cast<int>(each.how);
  }
}

TEST(GlobalRaces, NameBothThreads) {
  Lab lab;
  test::exchange_globally(lab.stream(), Exchange::written_twice,
                          lab.filled(std::vector<int>(256), "words"));
  const Report report = lab.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].thread, 32);
  EXPECT_EQ(report.findings[0].other, 0);
  EXPECT_EQ(report.findings[0].detail, "words of 1024 bytes + 0");
  EXPECT_EQ(report.findings[0].argument, 2);
  EXPECT_EQ(report.findings[0].count, 32u);
}

TEST(GlobalRaces, FencesOrderBlocks) {
  for (const auto& [fenced, workers] : {std::pair{true, 1}, {true, 4}, {false, 1}}) {
    Lab lab({.workers = workers});
    int *const words = lab.empty<int>(40), *const sum = lab.filled<int>({0});
    test::add_up_in_last_block(lab.stream(), 40, words, lab.filled<unsigned>({0}), sum, fenced);
    EXPECT_EQ(checks(lab.report()), fenced ? "" : "race between blocks (read after write)");
    EXPECT_EQ(*sum, 780);
  }
}

}  // namespace global_races_test
}  // namespace ridgeline::emulated
