#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ci/studies/simulated_nights/tables.hpp"

namespace ridgeline::analysis::trend_study {
namespace nights_tables_test {

/// The cells of each line of the table, without its head; each has as many as the head.
std::vector<std::vector<std::string>> rows_of(const std::string& table) {
  std::vector<std::vector<std::string>> found;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string>& cells = found.emplace_back();
    std::istringstream rest(line.substr(2));
    for (std::string cell; std::getline(rest, cell, '|');) {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      cells.push_back(cell);
    }
    EXPECT_EQ(cells.size(), found.front().size()) << line;
  }
  EXPECT_GE(found.size(), 2u) << table;
  if (!found.empty()) found.erase(found.begin());
  return found;
}

double number(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

Options few() {
  Options options;
  options.series = options.steps = options.drifts = 20;
  options.fleets = 1;
  options.only = "white";
  return options;
}

TEST(NightsTables, NothingIsToldOfWhiteNoiseAndStepsAre) {
  const auto none = rows_of(false_table(few()));
  EXPECT_EQ(none[0][0], "white");
  EXPECT_EQ(number(none[0][2]), 0) << "one event among so few would be 1.23";
  const auto steps = rows_of(step_table(few()));
  EXPECT_GE(number(steps[0][2]), 90) << "+5% in 8 nights";
  EXPECT_EQ(number(steps[0][4]), 100) << "+100%";
}

TEST(NightsTables, SteepDriftsAreTold) {
  const auto drifts = rows_of(drift_table(few()));
  ASSERT_EQ(drifts[0][0], "white");
  EXPECT_EQ(number(drifts[0].back()), 100) << "+10% in 42 nights";
}

TEST(NightsTables, AllCasesTogetherTellSoonerThanEachByItself) {
  const std::string text = fleet_table(few());
  EXPECT_NE(text.find("1 devices of 100 cases have 0 such events over 365 nights, and 0 with"),
            std::string::npos)
      << text;
  const auto table = rows_of(text);
  for (const auto& row : table) {
    if (row[0] != "100" || row[2] != "0%" || row[3] != "+2%" || row[1] != "100") continue;
    const std::string& after_three = row[5];
    EXPECT_LT(number(after_three), number(after_three.substr(after_three.find('/') + 1)));
    return;
  }
  FAIL() << "no such devices";
}

}  // namespace nights_tables_test
}  // namespace ridgeline::analysis::trend_study
