// What was told of two years, on a night of them and at their end.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

namespace ridgeline::analysis {
namespace trend_years_test {

using examples::Nights;

constexpr int two_years = 730, settled = 14;  // nights after which a change stays as it is

/// Events of all kinds, and a job that comes to start at other times.
Nights years() {
  Nights nights;
  nights.cases = 6;
  nights.level = [](int of, int night) -> std::optional<double> {
    const auto up = [&](int from, int nights) { return std::clamp(night - from, 0, nights); };
    if (of == 1) return (night >= 100 ? .06 : 0) - (night >= 640 ? .1 : 0);
    if (of == 2) return night >= 200 ? -.1 : 0;
    if (of == 3) return night >= 300 && night < 420 && night / 20 % 2 == 1 ? .08 : 0;
    if (of == 4) return .004 * (up(500, 30) - up(580, 30));
    if (of == 5 && night >= 660) return {};
    return 0.0;
  };
  nights.facts = [](int night) {  // on the night of case 2, and restless later
    if (night < 200) return record::Facts{{"cpus", "2"}};
    return record::Facts{{"cpus", night < 240 || night % 2 == 0 ? "4" : "8"}};
  };
  nights.power_limit = [](int night) { return night < 450 ? "300" : "250"; };
  nights.start = [](int night) {
    return night < 350   ? "02:00:00"
           : night < 480 ? "23:50:00"
           : night < 620 ? "00:10:00"
                         : "21:30:00";
  };
  return nights;
}

/// What is told, with the night that told it; sizes, which follow the nights of a level, apart.
std::map<std::string, std::pair<std::size_t, double>> told(const DeviceTrend& trend) {
  std::map<std::string, std::pair<std::size_t, double>> all;
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  const auto add = [&](const TrendChange& one) {
    all[fmt::format("{} {} of {} {} to {}, told {} by {} and {}, {}: {} ({}); {} -> {}{}{}",
                    date(one.night), to_string(one.kind), one.case_name, date(one.earliest),
                    date(one.latest), date(*one.raised), one.evidence->nights, one.evidence->before,
                    to_string(one.why->cause), fmt::join(one.why->evidence, ", "),
                    fmt::join(one.changes.environment, ", "), one.changes.before_run,
                    one.changes.after_run, one.mode ? ", a mode" : "",
                    one.undone ? ", undone " + date(*one.undone) : "")] = {
        *one.raised, std::log(one.after / one.before)};
  };
  for (const TrendChange& one : trend.changes) add(one);
  for (const FleetEvent& event : trend.fleet)
    for (const TrendChange& one : event.members) add(one);
  for (const TrendDrift& one : trend.drifts) {  // which goes on for a while
    const std::string words =
        fmt::format("{} drift of {}, told {}, {}: {}; {} -> {}", date(one.from), one.case_name,
                    date(one.raised), to_string(one.why->cause), fmt::join(one.why->evidence, ", "),
                    one.changes.before_run, one.changes.after_run);
    all[words] = {one.raised, 0};
    all[fmt::format("{}, seen until {}", words, date(one.last))] = {one.last, std::log(one.ratio)};
  }
  for (const TrendStop& one : trend.stops)
    all[fmt::format("{} stop of {}", date(one.last), one.case_name)] = {one.last + stopped_nights,
                                                                        0};
  for (const EnvironmentStart& one : trend.environments)
    all[fmt::format("{} environment: {}, {} cases", date(one.night), fmt::join(one.facts, ", "),
                    one.cases)] = {one.night, std::log(*one.ratio)};
  return all;
}

TEST_F(Trend, TwoYearsLaterEveryEventIsToldAsItWasThen) {
  add(years(), 0, two_years);
  const TrendRules rules{.least_step = {}, .new_nights = 1, .shown_nights = two_years};
  const DeviceTrend found = trend(rules);
  const std::size_t last = found.nights.nights.size() - 1;
  const auto at_the_end = told(found);
  std::set<std::size_t> nights;
  for (const auto& [words, one] : at_the_end)
    if (one.first + settled <= last) nights.insert(one.first + settled);
  EXPECT_GE(nights.size(), 12u);
  for (const std::size_t night : nights) {
    SeriesChoice choice;
    choice.until = found.nights.nights[night].date;
    const auto then = told(trend(rules, choice));
    for (const auto& [words, one] : at_the_end) {
      if (one.first + settled > night) continue;
      const auto same = then.find(words);
      if (same == then.end())
        ADD_FAILURE() << choice.until << " does not have: " << words;
      else
        EXPECT_NEAR(same->second.second, one.second, .005) << words;
    }
    for (const auto& [words, one] : then) {
      if (one.first + settled <= night) {
        EXPECT_TRUE(at_the_end.contains(words)) << choice.until << " alone has: " << words;
      }
    }
  }
}

}  // namespace trend_years_test
}  // namespace ridgeline::analysis
