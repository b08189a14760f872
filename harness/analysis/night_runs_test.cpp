#include "harness/analysis/night_runs.hpp"

#include <gtest/gtest.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace night_runs_test {

using std::chrono::sys_seconds;

sys_seconds at(const std::string& time) { return parse_point_in_time(time).value(); }

/// Runs that start on these days at 02:00.
std::vector<store::StoredRun> runs(const std::vector<std::string>& on) {
  std::vector<store::StoredRun> all;
  for (const std::string& day : on) {
    all.push_back({store::examples::run(fmt::format("r{}", all.size()), day + "T02:00:00Z"),
                   store::examples::device(),
                   store::examples::environment(),
                   {}});
    all.back().run.status = record::RunStatus::finished;
  }
  return all;
}

OutOfTime sorted(const std::vector<std::string>& on, std::optional<sys_seconds> now) {
  const std::vector<store::StoredRun> all = runs(on);
  std::vector<const store::StoredRun*> pointers;
  for (const store::StoredRun& run : all) pointers.push_back(&run);
  OutOfTime found = leave_out_of_time(pointers, now);
  if (!found.kept.empty()) {
    EXPECT_LE(found.kept.size(), all.size());
  }
  return found;
}

using Counts = std::map<std::string, std::int64_t>;
const Counts future{{"of the future (a clock was wrong)", 1}};

TEST(OutOfTimeRuns, AreThoseOfTheFuture) {
  const std::vector<std::string> on = {"2026-07-13", "2026-07-14", "2026-07-15", "2099-01-01"};
  EXPECT_EQ(sorted(on, at("2026-07-15T06:00:00Z")).left_out, future);
  EXPECT_EQ(sorted(on, at("2026-07-15T06:00:00Z")).kept.size(), 3u);
  EXPECT_EQ(sorted(on, {}).left_out, future) << "far from all others";
  EXPECT_EQ(sorted({"2026-07-13", "2026-07-14", "2026-07-15"}, at("2026-07-14T06:00:00Z")).left_out,
            Counts())
      << "clocks may differ by a day";
  EXPECT_EQ(sorted({"2026-07-13", "2026-07-14", "2026-07-19"}, at("2026-07-14T06:00:00Z")).left_out,
            future);
  EXPECT_TRUE(sorted({}, at("2026-07-14T06:00:00Z")).kept.empty());
}

TEST(OutOfTimeRuns, AreNotAllThatThereAreWhereThisClockIsBehind) {
  const std::vector<std::string> on = {"2026-07-13", "2026-07-14", "2026-07-15", "2099-01-01"};
  const OutOfTime found = sorted(on, at("1970-01-01T00:00:10Z"));
  EXPECT_TRUE(found.behind);
  EXPECT_EQ(found.left_out, future) << "by the other runs";
  EXPECT_FALSE(sorted(on, at("2026-07-15T06:00:00Z")).behind);
  EXPECT_EQ(sorted({"2099-01-01"}, at("2026-07-15T06:00:00Z")).kept.size(), 1u);
}

TEST(OutOfTimeRuns, AreFewThatLieFarBeforeAllOthers) {
  EXPECT_EQ(sorted({"1970-01-01", "2026-07-13", "2026-07-14"}, {}).kept.size(), 2u);
  EXPECT_EQ(sorted({"1970-01-01", "1970-01-02", "1970-01-03", "2026-07-13", "2026-07-14",
                    "2026-07-15", "2026-07-16"},
                   {})
                .kept.size(),
            7u)
      << "a device that was measured again";
  EXPECT_EQ(sorted({"2024-01-01", "2026-07-13"}, {}).kept.size(), 2u) << "which of the two?";
}

TEST(Oddities, AreRunsThatDidNotFinishAndThoseStoredLate) {
  std::vector<store::StoredRun> all = runs({"2026-07-13", "2026-07-14", "2026-07-15"});
  EXPECT_TRUE(oddities_of(all, {{"r0", 1}, {"r1", 2}, {"r2", 3}}, {}).empty());
  all[0].run.status = record::RunStatus::interrupted;
  all[1].run.status = record::RunStatus::failed;
  EXPECT_EQ(oddities_of(all, {{"r0", 9}, {"r1", 2}, {"r2", 3}}, {}),
            (std::vector<std::string>{
                "2 runs did not finish (1 failed, 1 interrupted): what they lack has not stopped",
                "1 run was stored after later ones: results were merged, or a clock was set "
                "back"}));
}

TEST(Starts, AreSecondsOfUtc) {
  store::StoredRun run = runs({"2026-07-13"}).at(0);
  EXPECT_EQ(start_of(run, {}), at("2026-07-13T02:00:00Z"));
  run.run.started = "2026-02-30T00:00:00Z";
  EXPECT_THROW(start_of(run, "x.sqlite"), Error);
}

}  // namespace night_runs_test
}  // namespace ridgeline::analysis
