#include "ci/studies/simulated_gates/tables.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline::analysis::study {
namespace tables_test {

/// The cells of the rows that begin with these two.
std::vector<std::string> row(const std::string& table, const std::string& begin) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| " + begin + " |")) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(begin.size() + 4));
    for (std::string cell; std::getline(rest, cell, '|');)
      cells.push_back(cell.substr(1, cell.size() - 2));
    return cells;
  }
  ADD_FAILURE() << "no row " << begin << " in\n" << table;
  return {};
}

/// Every row of the table has as many cells as its head.
void expect_whole(const std::string& table) {
  std::istringstream lines(table);
  std::ptrdiff_t bars = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    if (bars == 0) bars = std::ranges::count(line, '|');
    EXPECT_EQ(std::ranges::count(line, '|'), bars) << line;
  }
  EXPECT_GT(bars, 0);
}

Options few(const std::string& noise) {
  Options options;
  options.suites = 2;
  options.trials = 10;
  if (!noise.empty()) options.noises = {noise};
  return options;
}

TEST(FoundTails, AModeIsAskedForWhereThereAreTwo) {
  Study one_mode(few("GPU, 0.1%"));
  const std::string of_one = found_tails(one_mode);
  expect_whole(of_one);
  EXPECT_EQ(row(of_one, "slow one of two modes +20%"), std::vector<std::string>{"-"});
  EXPECT_EQ(row(of_one, "10% of launches x10"), std::vector<std::string>{"100.0% / 100.0%"});
  Study two_modes(few("two modes of launches"));
  EXPECT_NE(row(found_tails(two_modes), "slow one of two modes +20%"),
            std::vector<std::string>{"-"});
}

TEST(Doubts, AnIntervalAboveDeltaIsMoreThanWhatGatesDoubt) {
  Options options = few("");
  options.suites = 8;
  Study all(options);
  const std::string table = doubts(all);
  expect_whole(table);
  const auto doubted = row(table, launch_bound().name + " | false, of suites"),
             above = row(table, launch_bound().name + " | interval above delta, of suites");
  ASSERT_EQ(above.size(), 6u);
  EXPECT_TRUE(above[0].starts_with("0.0%"));  // no interval of 3 pairs ends
  EXPECT_GE(std::stod(above[2]), std::stod(doubted[2]) + 25);
  const auto slow_launches = row(table, "GPU, 0.1% | found, 10% of launches x10");
  ASSERT_EQ(slow_launches.size(), 6u);
  EXPECT_EQ(slow_launches[3], "0.0%");  // 8 coins are not rare enough among 100 cases
  EXPECT_NE(slow_launches[5], "0.0%");
}

/// Pairs whose processes have the same lower quartile, and medians all over the place.
MeasuredPairs steady_below() {
  MeasuredPairs pairs;
  pairs.name = "steady below";
  pairs.pairs = 90;
  pairs.samples = 4;
  Random random(1, 1);
  for (std::vector<double>* side : {&pairs.baseline, &pairs.candidate})
    for (std::size_t i = 0; i < pairs.pairs; ++i) {
      const double above = 0.4 * random.uniform();
      side->insert(side->end(), {0, 0, above, above});
    }
  return pairs;
}

TEST(Locations, QuartilesFindWhatIsSteadyBelow) {
  Options options = few("none of them");
  options.measured = {steady_below()};
  Study study(options);
  const std::string table = locations(study);
  expect_whole(table);
  const auto median = row(table, "steady below | median"),
             quartile = row(table, "steady below | lower quartile");
  ASSERT_EQ(median.size(), 9u);
  ASSERT_EQ(quartile.size(), 9u);
  EXPECT_EQ(quartile[8], "100.0%");
  EXPECT_NE(median[8], "100.0%");
}

TEST(Locations, MeasuredPairsOfACpuHaveRows) {
  Options options = few("none of them");
  MeasuredPairs pairs;
  pairs.name = "even";
  pairs.pairs = 60;
  pairs.samples = 2;
  pairs.baseline.assign(120, 0.0);
  pairs.candidate.assign(120, 0.0);
  MeasuredPairs of_gpu = pairs;
  of_gpu.name = "of a GPU";
  of_gpu.device = DeviceKind::cuda;
  options.measured = {pairs, of_gpu};
  Study study(options);
  const std::string table = locations(study);
  const auto cells = row(table, "even | median");
  ASSERT_EQ(cells.size(), 9u);
  EXPECT_EQ(cells[0], "100.0%");
  EXPECT_TRUE(cells[1].starts_with("0.0%"));
  EXPECT_EQ(cells[4], "100.0%");  // of +2%, which is exactly delta
  EXPECT_EQ(cells[8], "100.0%");
  EXPECT_EQ(table.find("of a GPU"), std::string::npos);
}

}  // namespace tables_test
}  // namespace ridgeline::analysis::study
