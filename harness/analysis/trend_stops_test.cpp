#include <gtest/gtest.h>

#include "harness/analysis/trend.hpp"

namespace ridgeline::analysis {
namespace trend_stops_test {

std::vector<std::uint32_t> every(std::uint32_t step, std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> nights;
  for (std::uint32_t night = begin; night < end; night += step) nights.push_back(night);
  return nights;
}

NightlyCase timed(const std::string& name, std::vector<std::uint32_t> nights, double ns) {
  std::vector<double> times(nights.size(), ns);
  return {name, {{"e1", std::move(nights), std::move(times)}}, {}, {}, 0};
}

NightlyDevice device_of(std::size_t nights, std::vector<NightlyCase> cases) {
  NightlyDevice device;
  device.nights.resize(nights);
  for (std::size_t i = 0; i < nights; ++i) device.nights[i].day = static_cast<std::int64_t>(i);
  device.cases = std::move(cases);
  return device;
}

std::vector<TrendStop> stops(std::size_t nights, std::vector<NightlyCase> cases) {
  TrendRules rules;
  rules.least_step = 0.01;
  return stops_of(device_of(nights, std::move(cases)), rules);
}

TEST(TrendStops, ANightlyCaseStopsAfterThreeNightsAndAWeeklyOneAfterThreeWeeks) {
  EXPECT_EQ(stopping_silence(every(1, 0, 50)), 3u);
  EXPECT_EQ(stopping_silence(every(7, 0, 70)), 21u);
  EXPECT_EQ(stopping_silence(std::vector<std::uint32_t>{4}), 3u);
  EXPECT_EQ(stopping_silence(std::vector<std::uint32_t>{0, 1, 2, 30, 31, 32, 33}), 3u)
      << "it was away once";
  EXPECT_EQ(stopping_silence(std::vector<std::uint32_t>{0, 1, 9, 10, 11, 19, 20, 21, 22}), 10u)
      << "it is away now and then";
}

TEST(TrendStops, AWeeklyCaseDoesNotStopEveryWeek) {
  const auto weekly = [](std::size_t nights) {
    return stops(nights, {timed("copy/weekly/f32/n=1", every(7, 0, 71), 100)});
  };
  for (std::size_t nights = 71; nights <= 91; ++nights)
    EXPECT_TRUE(weekly(nights).empty()) << nights;
  ASSERT_EQ(weekly(92).size(), 1u);
  EXPECT_TRUE(weekly(92)[0].is_new);
  EXPECT_FALSE(weekly(93)[0].is_new);
}

TEST(TrendStops, AMonthlyCaseStopsAfterThreeMonths) {
  const auto monthly = [](std::size_t nights) {
    return stops(nights, {timed("copy/monthly/f32/n=1", every(30, 0, 181), 100)});
  };
  EXPECT_TRUE(monthly(270).empty());
  ASSERT_EQ(monthly(271).size(), 1u);
  EXPECT_TRUE(monthly(271)[0].is_new);
  EXPECT_EQ(monthly(300).size(), 1u);
  EXPECT_TRUE(monthly(365).empty());
}

TEST(TrendStops, ARenamedCaseHasNotStopped) {
  const auto found = stops(60, {timed("copy/wide/f32/n=64", every(1, 0, 40), 100),
                                timed("copy/wider/f32/n=64", every(1, 40, 60), 101),
                                timed("copy/wider/f32/n=128", every(1, 40, 60), 100)});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].continued_by.has_value());
  EXPECT_EQ(found[0].continued_by->case_name, "copy/wider/f32/n=64");
  EXPECT_EQ(found[0].continued_by->first, 40u);
  EXPECT_EQ(found[0].continued_by->evidence[0], "the same suite, dtype, problem");
  EXPECT_EQ(found[0].continued_by->evidence[2], "100 ns -> 101 ns");
  EXPECT_FALSE(fails(found[0]));
}

TEST(TrendStops, AnotherLevelAnotherTimeOrAnotherKindIsNoRenaming) {
  const NightlyCase old_case = timed("copy/wide/f32/n=64", every(1, 0, 40), 100);
  const auto is_new_name = [&](const std::string& name, std::uint32_t first, double ns) {
    return stops(60, {old_case, timed(name, every(1, first, 60), ns)}).at(0).continued_by;
  };
  EXPECT_TRUE(is_new_name("copy/wider/f32/n=64", 40, 100));
  EXPECT_FALSE(is_new_name("copy/wider/f32/n=64", 40, 110)) << "slower";
  EXPECT_FALSE(is_new_name("copy/wider/f32/n=64", 20, 100)) << "it was there before";
  EXPECT_FALSE(is_new_name("copy/wider/f32/n=64", 50, 100)) << "too late";
  EXPECT_FALSE(is_new_name("copy/wider/f64/n=64", 40, 100)) << "two parts differ";
  EXPECT_FALSE(is_new_name("gather/wide/f64/n=64", 40, 100)) << "two others differ";
}

TEST(TrendStops, ANameContinuesOneCaseAtMost) {
  const auto found = stops(60, {timed("copy/a/f32/n=64", every(1, 0, 40), 102),
                                timed("copy/b/f32/n=64", every(1, 0, 40), 100),
                                timed("copy/c/f32/n=64", every(1, 40, 60), 100)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].continued_by.has_value());
  EXPECT_TRUE(found[1].continued_by.has_value()) << "the level is nearer";
}

TEST(TrendStops, ACountedCaseIsRenamedWhenItsCountsAreTheSame) {
  const auto counted = [](const std::string& name, std::uint32_t begin, std::uint32_t end,
                          double sectors) {
    NightlyCase one{name, {}, {}, {}, 0};
    one.counts.push_back({"sectors", "1", record::Direction::lower, every(1, begin, end),
                          std::vector<double>(end - begin, sectors)});
    return one;
  };
  const NightlyCase old_case = counted("copy/wide/f32/n=64", 0, 40, 512);
  EXPECT_TRUE(stops(60, {old_case, counted("copy/wider/f32/n=64", 40, 60, 512)})
                  .at(0)
                  .continued_by.has_value());
  EXPECT_FALSE(stops(60, {old_case, counted("copy/wider/f32/n=64", 40, 60, 513)})
                   .at(0)
                   .continued_by.has_value());
}

}  // namespace trend_stops_test
}  // namespace ridgeline::analysis
