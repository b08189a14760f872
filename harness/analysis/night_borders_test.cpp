#include "harness/analysis/night_borders.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/day.hpp"

namespace ridgeline::analysis {
namespace night_borders_test {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

using Starts = std::vector<sys_seconds>;

/// "07-14: 0 1; 07-15: 2"
std::string in_words(const std::vector<Night>& nights) {
  std::string text;
  for (const Night& night : nights) {
    text += (text.empty() ? "" : "; ") + night.date.substr(5) + ":";
    for (const std::size_t run : night.runs) text += " " + std::to_string(run);
    EXPECT_EQ(night.day, parse_day(night.date)->time_since_epoch().count());
  }
  return text;
}

std::string nights(std::initializer_list<const char*> all) {
  Starts starts;
  for (const char* one : all)
    starts.push_back(parse_point_in_time(std::string("2026-07-") + one + ":00Z").value());
  return in_words(nights_of(starts));
}

TEST(Nights, AreDaysWhereNoRunStartsNearMidnight) {
  EXPECT_EQ(nights({"14T02:00", "14T18:00", "15T02:00"}), "07-14: 0 1; 07-15: 2");
  EXPECT_EQ(nights({"14T22:59", "15T01:00"}), "07-14: 0; 07-15: 1");
  EXPECT_EQ(nights_of({}).size(), 0u);
}

TEST(Nights, CrossMidnight) {
  EXPECT_EQ(nights({"14T23:50", "15T00:20", "15T23:50", "16T00:20"}), "07-14: 0 1; 07-15: 2 3");
  EXPECT_EQ(nights({"14T00:05", "14T23:55", "16T00:04", "16T23:58", "18T00:01"}),
            "07-14: 0; 07-15: 1; 07-16: 2; 07-17: 3; 07-18: 4")
      << "a job that starts at midnight, more or less";
  EXPECT_EQ(nights({"14T22:00", "14T23:10", "15T00:10", "15T22:00", "16T13:00"}),
            "07-14: 0 1 2; 07-15: 3; 07-16: 4")
      << "one by hand, in the afternoon";
}

TEST(Nights, HaveTheDateOnWhichRunsStartedSoFar) {
  EXPECT_EQ(nights({"14T23:50", "15T23:50"}), "07-14: 0; 07-15: 1");
  EXPECT_EQ(nights({"14T00:10", "15T00:10"}), "07-14: 0; 07-15: 1");
  EXPECT_EQ(nights({"14T23:50", "15T00:10", "16T00:10", "17T00:10"}),
            "07-14: 0 1; 07-16: 2; 07-17: 3")
      << "the first one was not known to be early";
  EXPECT_EQ(nights({"14T00:10", "15T00:10", "15T23:50", "16T23:50", "17T23:50", "19T23:50"}),
            "07-14: 0; 07-15: 1; 07-16: 2; 07-17: 3; 07-18: 4; 07-19: 5")
      << "no date twice, where they come to start before midnight";
}

TEST(Nights, AreDaysWhereRunsStartAtAllTimes) {
  EXPECT_EQ(nights({"14T00:30", "14T04:00", "14T07:30", "14T11:00", "14T14:30", "14T18:00",
                    "14T21:30", "15T00:30"}),
            "07-14: 0 1 2 3 4 5 6; 07-15: 7");
}

TEST(Nights, BeginAtTheHourNearestToMidnightThatIsQuiet) {
  EXPECT_EQ(nights({"14T00:30", "14T20:30", "14T23:05"}), "07-14: 0 1; 07-15: 2");
  EXPECT_EQ(nights({"14T23:30", "15T00:50", "15T03:05"}), "07-14: 0 1; 07-15: 2");
  EXPECT_EQ(nights({"14T23:30", "15T00:50", "15T01:50"}), "07-14: 0 1 2")
      << "they begin elsewhere once a run starts within an hour";
}

TEST(Nights, HaveDatesThatCanBeWritten) {
  const auto dates = [](std::initializer_list<const char*> all) {
    Starts starts;
    for (const char* one : all) starts.push_back(parse_point_in_time(one).value());
    std::string text;
    for (const Night& night : nights_of(starts)) text += night.date + " ";
    return text;
  };
  EXPECT_EQ(dates({"9999-12-29T00:10:00Z", "9999-12-30T00:10:00Z", "9999-12-31T00:10:00Z",
                   "9999-12-31T23:50:00Z"}),
            "9999-12-29 9999-12-30 9999-12-31 ");
  EXPECT_EQ(dates({"0000-01-01T00:10:00Z", "0000-01-01T23:50:00Z", "0000-01-02T23:50:00Z"}),
            "0000-01-01 0000-01-02 0000-01-03 ");
  EXPECT_EQ(dates({"0000-01-01T23:50:00Z"}), "0000-01-01 ");
}

TEST(Nights, StayWhenARunComesThatCrossesMidnight) {
  EXPECT_EQ(nights({"13T02:00", "14T02:00", "14T23:50", "15T00:20", "15T02:00", "15T23:50"}),
            "07-13: 0; 07-14: 1; 07-15: 2 3 4; 07-16: 5");
}

TEST(Nights, ForgetWhenRunsStartedLongAgo) {
  Starts starts;
  const sys_days first = *parse_day("2026-07-01");
  for (int day = 0; day < 40; ++day) starts.push_back(first + days(day) + minutes(23 * 60 + 50));
  for (int day = 41; day < 61; ++day) starts.push_back(first + days(day) + minutes(10));
  const std::vector<Night> found = nights_of(starts);
  ASSERT_EQ(found.size(), 60u);
  EXPECT_EQ(found[39].date, "2026-08-09");
  EXPECT_EQ(found[40].date, "2026-08-10") << "most runs start before midnight";
  EXPECT_EQ(found[59].date, "2026-08-30") << "most of the last month start after it";
}

/// Runs of some schedules that begin and end, move, and leave days out.
Starts random_starts(std::mt19937_64& random) {
  const auto upto = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  constexpr int span = 70, minutes_of_a_day = 24 * 60;
  Starts starts;
  const int schedules = 1 + upto(2);
  for (int schedule = 0; schedule < schedules; ++schedule) {
    int at = upto(2) == 0 ? upto(minutes_of_a_day) : minutes_of_a_day - 90 + upto(180);
    const int first = schedule == 0 ? 0 : upto(span), last = first + upto(span),
              every = upto(3) == 0 ? 7 : 1, runs = 1 + upto(upto(4) == 0 ? 12 : 2),
              apart = 5 + upto(50), jitter = upto(2) == 0 ? upto(90) : upto(8);
    for (int day = first; day < last; day += every) {
      if (upto(9) == 0) continue;
      if (upto(19) == 0) day += upto(upto(4) == 0 ? 45 : 5);
      if (upto(39) == 0) at += upto(1) == 0 ? 60 : -60;  // summer time begins or ends
      for (int run = 0; run < runs; ++run)
        starts.push_back(*parse_day("2026-01-01") + days(day) +
                         minutes(at + run * apart + upto(jitter)));
    }
  }
  std::ranges::sort(starts);
  return starts;
}

TEST(Nights, AreSettledByThePastAlone) {
  std::mt19937_64 random(20261124);
  std::size_t crossing = 0;
  for (int draw = 0; draw < 100; ++draw) {
    const Starts starts = random_starts(random);
    const std::vector<Night> all = nights_of(starts);
    std::size_t next = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
      const auto day = sys_days(days(all[n].day));
      if (n > 0) {
        EXPECT_LT(all[n - 1].day, all[n].day);
      }
      ASSERT_FALSE(all[n].runs.empty());
      for (const std::size_t run : all[n].runs) {
        EXPECT_EQ(run, next++);
        EXPECT_LT(day - days(1), starts[run]);
        EXPECT_LT(starts[run], day + days(2));
      }
      crossing += floor<days>(starts[all[n].runs.front()]) < floor<days>(starts[all[n].runs.back()])
                      ? 1
                      : 0;
    }
    EXPECT_EQ(next, starts.size());
    for (std::size_t count = 0; count < starts.size(); ++count) {
      std::vector<Night> then = all;  // without the runs that came later
      for (Night& night : then) std::erase_if(night.runs, [&](auto run) { return run >= count; });
      std::erase_if(then, [](const Night& night) { return night.runs.empty(); });
      ASSERT_EQ(in_words(nights_of(std::span(starts).first(count))), in_words(then))
          << "draw " << draw << ", " << count << " runs";
    }
  }
  EXPECT_GT(crossing, 300u) << "that is what makes it hard";
}

}  // namespace night_borders_test
}  // namespace ridgeline::analysis
