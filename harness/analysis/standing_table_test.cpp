// What comes of a finding, by what was told of its case: the table of standing.cpp.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/analysis/standing.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace standing_table_test {

using examples::after;
using record::Told;
using record::ToldState;

/// What stands of one change where something was told of its case, without the analysis.
class Recognised : public testing::Test {
 protected:
  Recognised() {
    trend.nights.key = "GPU-0000";
    trend.nights.profile = "nightly";
    trend.least_step = .01;
    NightlyTimes times{"e1", {}, {}};
    for (int night = 0; night < 40; ++night) {
      trend.nights.nights.push_back({examples::day(night), day(night), {}});
      times.nights.push_back(static_cast<std::uint32_t>(night));
      times.median_ns.push_back(night < 20 ? 1000 : 2000);  // a level that is not back
    }
    trend.nights.cases = {{"x/y/f32/n=1", {times}, {}, {}, 0}};
    trend.changes = {change(20, 1.06)};
    row.label = "a0b1c2d3";
    row.device = trend.nights.key;
    row.profile = trend.nights.profile;
    row.case_name = "x/y/f32/n=1";
    row.kind = "regression";
    row.earliest = row.night = row.latest = examples::day(20);
    row.ratio = 1.06;
    row.failed = true;
    row.told_night = examples::day(25);
    row.told_at = row.state_at = after(25);
  }
  static std::int64_t day(int night) {
    return parse_day(examples::day(night))->time_since_epoch().count();
  }
  static TrendChange change(std::size_t night, double ratio) {
    TrendChange change;
    change.case_name = "x/y/f32/n=1";
    change.night = change.earliest = change.latest = night;
    change.before = 1000;
    change.after = 1000 * ratio;
    change.kind = ratio > 1 ? TrendKind::regression : TrendKind::improvement;
    change.environment = "e1";
    change.raised = night + 1;
    return change;
  }
  void see() { stand(trend, {{row}, examples::day(0)}, {}, after(39)); }
  const Standing& standing() const { return trend.changes.at(0).standing; }

  DeviceTrend trend;
  Told row;
};

TEST_F(Recognised, WhereItMovedALittle) {
  for (const std::size_t night : {17u, 20u, 23u}) {
    trend.changes = {change(night, 1.06)};
    see();
    EXPECT_TRUE(standing().told) << night;
    EXPECT_FALSE(trend.changes[0].is_new);
    EXPECT_EQ(standing().label, "a0b1c2d3");
  }
  for (const std::size_t night : {16u, 24u}) {
    trend.changes = {change(night, 1.06)};
    see();
    EXPECT_FALSE(standing().told) << night;
    EXPECT_TRUE(fails(trend.changes[0]));
  }
}

TEST_F(Recognised, WhenItGrewALittle) {
  for (const double ratio : {1.02, 1.06, 1.09}) {
    trend.changes = {change(20, ratio)};
    see();
    EXPECT_TRUE(standing().told) << ratio;
  }
  for (const double ratio : {0.94, 1.12, 2.0}) {
    trend.changes = {change(20, ratio)};
    see();
    EXPECT_FALSE(standing().told) << ratio;
  }
}

TEST_F(Recognised, AsOneChangeOfTwo) {
  trend.changes = {change(20, 1.06), change(22, 1.07)};
  see();
  EXPECT_TRUE(trend.changes[0].standing.told);
  EXPECT_FALSE(trend.changes[1].standing.told);
  EXPECT_TRUE(fails(trend.changes[1])) << "a second step right behind the first";
}

TEST_F(Recognised, OfTheSameCaseDeviceAndKindOfFinding) {
  row.case_name = "x/y/f32/n=2";
  see();
  EXPECT_FALSE(standing().told);
  row.case_name = "x/y/f32/n=1";
  row.what = record::ToldWhat::drift;
  see();
  EXPECT_FALSE(standing().told);
}

TEST_F(Recognised, WhatBecomesARegressionFailsOnce) {
  row.kind = "environment";
  row.failed = false;
  see();
  EXPECT_TRUE(fails(trend.changes[0]));
  const store::Retold changes = retold(trend, after(39));
  ASSERT_EQ(changes.changed.size(), 1u);
  row = changes.changed[0].first;
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.told_night, examples::day(39));
  trend.changes = {change(20, 1.06)};
  stand(trend, {{row}, examples::day(0)}, {}, "2026-03-01T00:00:00Z");
  EXPECT_FALSE(fails(trend.changes[0]));
}

TEST_F(Recognised, WhatWasExcusedFailsOnceWhenItIsNotAnyMore) {
  row.failed = false;
  see();
  EXPECT_TRUE(fails(trend.changes[0]));
  row = retold(trend, after(39)).changed.at(0).first;
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.told_night, examples::day(39));
  trend.changes = {change(20, 1.06)};
  stand(trend, {{row}, examples::day(0)}, {}, "2026-03-01T00:00:00Z");
  EXPECT_FALSE(fails(trend.changes[0]));
  row.failed = false;
  row.told_night.clear();
  trend.changes = {change(20, 1.06)};
  stand(trend, {{row}, examples::day(22)}, {}, after(39));
  EXPECT_FALSE(fails(trend.changes[0])) << "it was known when the job began";
}

/// A drift of the case of the fixture.
TrendDrift drift(std::size_t from, std::size_t raised, std::size_t last, double ratio) {
  TrendDrift made;
  made.case_name = "x/y/f32/n=1";
  made.from = from;
  made.raised = raised;
  made.last = last;
  made.ratio = ratio;
  made.environment = "e1";
  return made;
}

TEST_F(Recognised, ADriftThatGrows) {
  row.what = record::ToldWhat::drift;
  row.kind = "drift";
  row.earliest = row.night = examples::day(10);
  row.latest = examples::day(25);
  row.ratio = 1.012;
  trend.changes.clear();
  trend.drifts = {drift(18, 25, 39, 1.09)};
  see();
  EXPECT_EQ(trend.drifts[0].standing.label, row.label);
  EXPECT_FALSE(fails(trend.drifts[0]));
  row.failed = false;
  trend.drifts = {drift(18, 25, 39, 1.09)};
  see();
  EXPECT_TRUE(fails(trend.drifts[0])) << "it was told with the environment";
}

TEST_F(Recognised, ADriftThatWasToldAgainIsNotTheFirst) {
  row.what = record::ToldWhat::drift;
  row.kind = "drift";
  row.earliest = row.night = examples::day(5);
  row.latest = examples::day(15);
  Told second = row;
  second.label = "beef";
  second.earliest = second.night = examples::day(17);
  second.latest = examples::day(30);
  trend.changes.clear();
  // The first goes on behind the night that told it, into the nights of the second.
  trend.drifts = {drift(14, 15, 32, 1.06), drift(17, 30, 39, 1.06)};
  stand(trend, {{row, second}, examples::day(0)}, {}, after(39));
  EXPECT_EQ(trend.drifts[0].standing.label, row.label);
  EXPECT_EQ(trend.drifts[1].standing.label, second.label);
}

TEST_F(Recognised, ADriftIsUndoneOnceItsLevelIsBack) {
  row.what = record::ToldWhat::drift;
  row.kind = "drift";
  row.earliest = row.night = examples::day(10);
  row.latest = examples::day(15);
  trend.changes.clear();
  trend.drifts = {drift(10, 15, 20, 1.06)};
  std::vector<double>& ns = trend.nights.cases[0].times[0].median_ns;
  for (std::size_t night = 0; night < 40; ++night)
    ns[night] = night < 10 || night > 20 ? 1000 : 1060;
  see();
  EXPECT_EQ(trend.drifts[0].standing.undone, 34u) << "a fortnight behind its last night";
  EXPECT_EQ(retold(trend, after(39)).changed.at(0).first.why, "undone on " + examples::day(34));
  for (std::size_t night = 21; night < 40; ++night) ns[night] = 1060;
  trend.drifts = {drift(10, 15, 20, 1.06)};
  see();
  EXPECT_FALSE(trend.drifts[0].standing.undone);
}

TEST_F(Recognised, ACountThatIsBackAtNothing) {
  NightlyCount spills{"spills", "1", record::Direction::lower, {}, {}};
  for (std::uint32_t night = 0; night < 40; ++night) {
    spills.nights.push_back(night);
    spills.values.push_back(night >= 20 && night < 30 ? 4096 : 0);
  }
  trend.nights.cases[0].times.clear();
  trend.nights.cases[0].counts = {spills};
  trend.changes = {change(20, 1)};
  trend.changes[0].metric = row.metric = "spills";
  trend.changes[0].before = 0;
  trend.changes[0].after = 4096;
  trend.changes[0].kind = TrendKind::regression;
  row.what = record::ToldWhat::count;
  row.ratio.reset();
  see();
  EXPECT_EQ(standing().undone, 30u);
  EXPECT_EQ(retold(trend, after(39)).changed.at(0).first.why, "undone on " + examples::day(30));
  trend.changes.clear();
  row.night = row.earliest = row.latest = examples::day(20);
  stand(trend, {{row}, examples::day(0)}, {.least_step = {}, .new_nights = 1, .shown_nights = 10},
        after(39));
  ASSERT_EQ(trend.over.size(), 1u) << "also when it is not listed any more";
  EXPECT_EQ(trend.over[0].second, "undone on " + examples::day(30));
}

TEST_F(Recognised, ARenamedCaseIsNewOnItsNightWhoeverToldBefore) {
  trend.changes.clear();
  trend.stops = {{"x/y/f32/n=1", 36, {}, true}};
  trend.stops[0].continued_by = Continuation{"x/y/f32/m=1", 37, {}};
  row.case_name = "another";
  see();
  EXPECT_TRUE(trend.stops[0].is_new);
  EXPECT_FALSE(fails(trend.stops[0]));
  EXPECT_TRUE(retold(trend, after(39)).added.empty());
}

TEST_F(Recognised, WhatNobodyFoundAnyMoreIsSaidOnce) {
  trend.changes.clear();
  see();
  ASSERT_EQ(trend.gone.size(), 1u);
  const store::Retold changes = retold(trend, after(39));
  ASSERT_EQ(changes.changed.size(), 1u);
  row = changes.changed[0].first;
  EXPECT_EQ(row.state, ToldState::resolved);
  trend.gone.clear();
  see();
  EXPECT_TRUE(trend.gone.empty());
  trend.changes = {change(20, 1.06)};
  see();
  EXPECT_EQ(standing().retelling, Retelling::reopened);
  EXPECT_FALSE(fails(trend.changes[0])) << "found, lost and found again is not new";
  EXPECT_EQ(retold(trend, after(39)).changed.at(0).first.state, ToldState::told);
}

TEST_F(Recognised, WhatIsAcknowledgedStaysSoWhenItIsLostForANight) {
  row.state = ToldState::acknowledged;
  row.why = "ticket 17";
  row.said_by = "ops";
  trend.changes.clear();
  see();
  EXPECT_TRUE(trend.gone.empty());
  EXPECT_TRUE(retold(trend, after(39)).changed.empty());
  trend.changes = {change(20, 1.06)};
  see();
  EXPECT_TRUE(standing().is(ToldState::acknowledged));
  EXPECT_TRUE(retold(trend, after(39)).changed.empty());
  trend.changes[0].undone = 30;
  trend.changes[0].standing = {};
  see();
  const Told over = retold(trend, after(39)).changed.at(0).first;
  EXPECT_EQ(over.state, ToldState::resolved);
  EXPECT_EQ(over.why, "undone on " + examples::day(30) + "; acknowledged by ops: ticket 17");
}

TEST_F(Recognised, AJobThatLooksOtherwiseTakesNothingBack) {
  trend.changes.clear();
  stand(trend, {{row}, examples::day(0), false}, {}, after(39));
  EXPECT_TRUE(trend.gone.empty());
  row.state = ToldState::resolved;
  row.why = "not found any more";
  row.said_by = record::said_by_program;
  trend.changes = {change(20, 1.06)};
  stand(trend, {{row}, examples::day(0), false}, {}, after(39));
  EXPECT_TRUE(retold(trend, after(39)).changed.empty());
}

TEST_F(Recognised, WhatWasResolvedBeforeAnybodyWasToldIsToldWhenItIsNotOver) {
  row.state = ToldState::resolved;
  row.why = "undone on " + examples::day(23);
  row.said_by = record::said_by_program;
  row.failed = false;
  row.told_night.clear();
  see();
  EXPECT_TRUE(fails(trend.changes[0]));
  const Told now = retold(trend, after(39)).changed.at(0).first;
  EXPECT_EQ(now.state, ToldState::told);
  EXPECT_EQ(now.why, "");
  EXPECT_TRUE(now.failed);
}

TEST_F(Recognised, WhatGrewOrIsShownNoMoreHasNotGone) {
  trend.changes = {change(20, 1.12)};
  see();
  EXPECT_TRUE(fails(trend.changes[0])) << "twice as large";
  EXPECT_TRUE(trend.gone.empty());
  trend.changes.clear();
  stand(trend, {{row}, examples::day(0)}, {.least_step = {}, .new_nights = 1, .shown_nights = 20},
        after(39));
  EXPECT_TRUE(trend.gone.empty()) << "its place may have moved by a night, out of the last 20";
}

TEST_F(Recognised, OldOnesThatNobodyToldAreNotNew) {
  for (int night = 40; night < 90; ++night)
    trend.nights.nights.push_back({examples::day(night), day(night), {}});
  row.case_name = "another";
  see();
  EXPECT_FALSE(trend.changes[0].is_new);
}

TEST_F(Recognised, AMemberThatJoinsAToldEventIsQuietUnlessItIsMuchWorse) {
  std::vector<Told> rows;
  const auto event = [&](double joins, std::size_t night = 20, std::size_t told = fleet_size) {
    trend.changes.clear();
    FleetEvent made;
    made.kind = TrendKind::regression;
    rows.assign(told, row);
    for (std::size_t i = 0; i < told; ++i) {
      made.members.push_back(change(20, i == 0 ? 2 : 1.06));
      made.members[i].case_name = rows[i].case_name = fmt::format("x/y/f32/n={}", 10 + i);
      rows[i].label = fmt::format("a0b1c2{}", 10 + i);
      rows[i].ratio = i == 0 ? 2 : 1.06;
    }
    made.members.push_back(change(night, joins));
    made.members.back().case_name = "x/z/f32/n=1";
    trend.fleet = {made};
    stand(trend, {rows, examples::day(0)}, {}, after(39));
    return fails(trend.fleet[0].members.back());
  };
  EXPECT_TRUE(event(1.05)) << "the others were told one by one";
  EXPECT_EQ(trend.fleet[0].standing.label, trend.fleet[0].members.back().standing.label)
      << "nobody knows the event by the label of one that was told alone";
  row.event = "a0b1c2d3";
  EXPECT_FALSE(event(1.05));
  EXPECT_EQ(trend.fleet[0].standing.label, row.event);
  EXPECT_FALSE(event(.95));
  EXPECT_TRUE(event(2)) << "as large as the largest, and much larger than most";
  EXPECT_TRUE(event(1.05, 22)) << "no other changed on that night";
  EXPECT_TRUE(event(1.05, 20, fleet_size - 1)) << "there was no event";
  row.failed = false;
  row.kind = "environment";
  EXPECT_TRUE(event(1.05)) << "nothing for the worse was told";
}

TEST_F(Recognised, WhatJoinsAnEventWasToldWithIt) {
  std::vector<Told> rows(fleet_size, row);
  FleetEvent made;
  made.kind = TrendKind::regression;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    made.members.push_back(change(20, 1.06));
    made.members[i].case_name = rows[i].case_name = fmt::format("x/y/f32/n={}", 10 + i);
    rows[i].label = fmt::format("a0b1c2{}", 10 + i);
    rows[i].event = "a0b1c2d3";
  }
  made.members.push_back(change(20, 1.05));
  trend.changes.clear();
  trend.fleet = {made};
  stand(trend, {rows, examples::day(0)}, {}, after(39));
  const store::Retold changes = retold(trend, after(39));
  ASSERT_EQ(changes.added.size(), 1u);
  EXPECT_EQ(changes.added[0].event, "a0b1c2d3");
  EXPECT_EQ(changes.added[0].told_night, examples::day(39));
  EXPECT_TRUE(changes.added[0].failed) << "it is for the worse, and its event had failed";
  rows.push_back(changes.added[0]);
  for (const std::string& now : {after(39), examples::day(40) + "T00:00:00Z"}) {
    trend.fleet = {made};
    stand(trend, {rows, examples::day(0)}, {}, now);
    EXPECT_FALSE(fails(trend.fleet[0])) << "also when the job starts again";
    EXPECT_FALSE(trend.fleet[0].is_new);
  }
}

TEST_F(Recognised, ADayThatIsNoneIsRefused) {
  row.night = row.earliest = row.latest = "2026-99-99";
  EXPECT_THROW(see(), Error);
}

}  // namespace standing_table_test
}  // namespace ridgeline::analysis
