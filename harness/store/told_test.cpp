#include "harness/store/told.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/merge.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/told_example.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace told_test {

using examples::telling;
using examples::told_change;
using record::ToldState;

class Told : public testing::Test {
 protected:
  Store store = Store::in_memory();
};

TEST_F(Told, IsReadBackAsItWasStored) {
  record::Told stop = told_change("5707");
  stop.what = record::ToldWhat::stop;
  stop.kind = "stopped";
  stop.ratio.reset();
  tell(store, telling(), {{told_change(), stop}, {}});
  EXPECT_EQ(store::told(store), (std::vector<record::Told>{stop, told_change()}))
      << "of one night and case, by label";
  EXPECT_EQ(store::tellings(store), std::vector<record::Telling>{telling()});
}

TEST_F(Told, WhatSomebodySaidIsHeardNotTheJobThatReadBefore) {
  tell(store, telling(), {{told_change()}, {}});
  record::Told said = told_change(), over = told_change();
  said.state = ToldState::acknowledged;
  said.state_at = "2026-07-19T08:00:00Z";
  said.why = "the new allocator";
  say(store, std::vector{said});
  over.state = ToldState::resolved;
  over.state_at = "2026-07-19T08:00:01Z";
  over.why = "undone on 2026-07-19";
  tell(store, telling(), {{told_change()}, {{over, told_change().state_at}}});
  EXPECT_EQ(store::told(store), std::vector<record::Told>{said});
  tell(store, telling(), {{}, {{over, said.state_at}}});
  EXPECT_EQ(store::told(store), std::vector<record::Told>{over});
}

TEST_F(Told, AJobIsListedOnceWithItsFirstNight) {
  record::Telling later = telling(), other = telling();
  later.night = "2026-07-19";
  later.told_at = "2026-07-19T03:00:00Z";
  other.job = "gemm/*";
  for (const record::Telling& one : {telling(), later, other}) tell(store, one, {});
  EXPECT_EQ(store::tellings(store), (std::vector<record::Telling>{telling(), other}));
}

TEST_F(Told, RefusesWhatCannotBe) {
  const auto refused = [&](const auto& change) {
    record::Told one = told_change();
    change(one);
    EXPECT_THROW(tell(store, telling(), {{told_change("good"), one}, {}}), Error);
    EXPECT_TRUE(store::told(store).empty()) << "all or nothing";
    EXPECT_TRUE(store::tellings(store).empty());
  };
  refused([](record::Told& one) { one.label = "a b"; });
  refused([](record::Told& one) { one.kind = "worse"; });
  refused([](record::Told& one) { one.night = "yesterday"; });
  refused([](record::Told& one) { one.earliest = "2026-07-16"; });
  refused([](record::Told& one) { one.ratio = -1; });
  refused([](record::Told& one) { one.state = ToldState::expected; });
  refused([](record::Told& one) { one.device.clear(); });
}

TEST_F(Told, SaysOfSeveralOrOfNone) {
  record::Told broken = told_change("b");
  broken.state_at = "today";
  EXPECT_THROW(say(store, std::vector{told_change("a"), broken}), Error);
  EXPECT_TRUE(store::told(store).empty());
  say(store, std::vector{told_change("a")});
  EXPECT_EQ(store::told(store).size(), 1u);
}

TEST(ToldMerged, TheLaterWordStandsAndWhatIsMissingIsAdded) {
  Store here = Store::in_memory(), there = Store::in_memory();
  for (const Store* store : {&here, &there})
    begin(*store, examples::run(), examples::device(), examples::environment());
  record::Told early = told_change("a"), late = told_change("a"), other = told_change("b");
  late.state = ToldState::expected;
  late.state_at = "2026-07-20T08:00:00Z";
  late.why = "sums in f32";
  tell(here, telling(), {{early}, {}});
  tell(there, telling(), {{late, other}, {}});
  Merged merged = merge(here, there, examples::now);
  EXPECT_TRUE(merged.refused.empty());
  EXPECT_EQ(merged.told.added, 1);
  EXPECT_EQ(merged.told.extended, 1);
  EXPECT_EQ(store::told(here), (std::vector<record::Told>{late, other}));
  merged = merge(here, there, examples::now);
  EXPECT_EQ(merged.told.known, 2);
  EXPECT_EQ(merge(there, here, examples::now).told.known, 2);
  Store old = Store::in_memory();
  tell(old, telling(), {{early}, {}});
  EXPECT_EQ(merge(here, old, examples::now).told.known, 1);
  EXPECT_EQ(store::told(here), (std::vector<record::Told>{late, other})) << "an older word";
}

TEST(ToldMerged, WhatAClockOfTheFutureDatesYieldsToWhatIsDatedRightly) {
  record::Told future = told_change("a"), right = told_change("a");
  future.state = ToldState::acknowledged;
  future.state_at = "2099-01-01T08:00:00Z";
  future.why = "a wrong clock";
  right.state = ToldState::expected;
  right.state_at = "2026-07-20T08:00:00Z";
  right.why = "sums in f32";
  for (const bool future_here : {true, false}) {
    Store here = Store::in_memory(), there = Store::in_memory();
    for (const Store* store : {&here, &there})
      begin(*store, examples::run(), examples::device(), examples::environment());
    tell(here, telling(), {{future_here ? future : right}, {}});
    tell(there, telling(), {{future_here ? right : future}, {}});
    merge(here, there, examples::now);
    EXPECT_EQ(store::told(here), std::vector<record::Told>{right}) << future_here;
  }
}

TEST(ToldMerged, WhatWasToldOnOneSideAndSaidOnTheOtherIsKnownOnBoth) {
  Store here = Store::in_memory(), there = Store::in_memory();
  for (const Store* store : {&here, &there})
    begin(*store, examples::run(), examples::device(), examples::environment());
  record::Told answered = told_change("a"), worse = told_change("a"), known = told_change("b");
  answered.kind = "environment";
  answered.failed = false;
  answered.state = ToldState::acknowledged;
  answered.state_at = "2026-07-30T08:00:00Z";
  answered.why = "ticket 17";
  worse.failed = true;
  worse.told_night = "2026-07-29";
  worse.told_at = "2026-07-29T03:00:00Z";
  known.told_night = "";
  known.failed = false;
  known.told_at = known.state_at = "2026-07-30T03:00:00Z";
  tell(here, telling(), {{answered, told_change("b")}, {}});
  tell(there, telling(), {{worse, known}, {}});
  record::Told both = answered, still_told = told_change("b");
  both.kind = worse.kind;
  both.failed = true;
  both.told_night = worse.told_night;
  both.told_at = worse.told_at;
  still_told.state_at = known.state_at;
  merge(here, there, examples::now);
  EXPECT_EQ(store::told(here), (std::vector<record::Told>{both, still_told}));
  merge(there, here, examples::now);
  EXPECT_EQ(store::told(there), (std::vector<record::Told>{both, still_told}));
}

TEST(ToldMerged, JobsKeepTheirFirstNight) {
  Store here = Store::in_memory(), there = Store::in_memory();
  record::Telling later = telling();
  later.night = "2026-07-30";
  later.told_at = "2026-07-30T03:00:00Z";
  tell(here, later, {});
  tell(there, telling(), {});
  merge(there, here, examples::now);
  EXPECT_EQ(store::tellings(there), std::vector<record::Telling>{telling()});
  merge(here, there, examples::now);
  EXPECT_EQ(store::tellings(here), std::vector<record::Telling>{telling()});
}

TEST(ToldFile, CannotBeRememberedWhereNothingCanBeWritten) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "synthetic-gpu.sqlite";
  { begin(Store::create(file), examples::run(), examples::device(), examples::environment()); }
  const Store reading = Store::open(file);
  EXPECT_THROW(tell(reading, telling(), {{told_change()}, {}}), Error);
}

}  // namespace told_test
}  // namespace ridgeline::store
