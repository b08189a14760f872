#include "harness/process/rank_watch.hpp"

#include <gtest/gtest.h>

namespace ridgeline::process {
namespace rank_watch_test {

using protocol::Beat;

const record::Facts hosts{{"hosts", "2"},
                          {"host0", "a"},
                          {"host0.ranks", "0, 2"},
                          {"host1", "b"},
                          {"host1.ranks", "1, 3"}};

/// Of four ranks; time goes on by steps of 100 ms.
class Watched {
 public:
  explicit Watched(const record::Facts& where = hosts) : watch_(where, 4, 5) { watch_.begin(now_); }

  /// For so long each of `ranks` beats once a second, as `beats` has it by now; the first fault.
  std::string go_on(double seconds, const std::vector<int>& ranks) {
    for (int tenths = 0; tenths < static_cast<int>(10 * seconds); ++tenths) {
      if (step_++ % 10 == 9)
        for (const int rank : ranks) watch_.hear(rank, beats[static_cast<std::size_t>(rank)], now_);
      now_ += std::chrono::milliseconds(100);
      if (const std::string fault = watch_.fault(now_); !fault.empty()) return fault;
    }
    return {};
  }
  void pass(double seconds) { now_ += std::chrono::milliseconds(static_cast<int>(1e3 * seconds)); }
  RankWatch& watch() { return watch_; }
  Clock::time_point now() const { return now_; }

  Beat beats[4] = {{7, false}, {7, false}, {7, false}, {7, false}};

 private:
  RankWatch watch_;
  Clock::time_point now_ = Clock::now();
  int step_ = 0;
};

const std::vector<int> all{0, 1, 2, 3};

TEST(RankWatch, FindsNothingWhereAllBeat) {
  Watched ranks;
  EXPECT_EQ(ranks.go_on(60, all), "");
}

TEST(RankWatch, FindsNothingWhereNobodyBeats) {
  Watched ranks;
  EXPECT_EQ(ranks.go_on(60, {}), "");
  EXPECT_EQ(ranks.go_on(60, all), "");
  EXPECT_EQ(ranks.go_on(60, {}), "") << "whoever carries the beats may stand still";
}

TEST(RankWatch, NamesARankOfAnotherHostThatFallsSilent) {
  Watched ranks;
  EXPECT_EQ(ranks.go_on(20, all), "");
  EXPECT_EQ(ranks.go_on(4, {0, 2, 3}), "");
  EXPECT_EQ(ranks.go_on(2, {0, 2, 3}),
            "rank 1 on b has not been heard of for 5 s, and others have: stopped, or the host or "
            "the way to it is lost");
}

TEST(RankWatch, NamesRanksThatBeatBeforeTheRequestAlone) {
  Watched ranks;
  for (const int rank : {1, 3}) ranks.watch().hear(rank, ranks.beats[rank], ranks.now());
  ranks.watch().begin(ranks.now());
  EXPECT_EQ(ranks.go_on(4, {0, 2}), "");
  EXPECT_TRUE(ranks.go_on(2, {0, 2}).starts_with("rank 1 on b and 1 more have not been heard of"));
}

TEST(RankWatch, LeavesRanksAloneThatHaveNeverBeenHeardOf) {
  Watched ranks;
  EXPECT_EQ(ranks.go_on(60, {0, 2}), "") << "whoever starts them may not carry what asks them";
}

TEST(RankWatch, KnowsWhetherThereAreOtherHosts) {
  EXPECT_TRUE(Watched().watch().has_away());
  EXPECT_FALSE(
      Watched({{"hosts", "1"}, {"host0", "a"}, {"host0.ranks", "0-3"}}).watch().has_away());
  EXPECT_FALSE(RankWatch().has_away());
}

TEST(RankWatch, CountsSilenceFromTheRequest) {
  Watched ranks;
  ranks.go_on(3, all);
  ranks.pass(100);  // nobody is asked anything
  ranks.watch().begin(ranks.now());
  EXPECT_EQ(ranks.go_on(4, {0, 2}), "");
  EXPECT_NE(ranks.go_on(2, {0, 2}), "");
}

TEST(RankWatch, LeavesSilentRanksOfThisHostToWhoSeesTheirProcesses) {
  Watched ranks;
  EXPECT_EQ(ranks.go_on(60, {1, 3}), "");
}

TEST(RankWatch, NamesAnIdleRankThatOthersWaitFor) {
  Watched ranks;
  ranks.beats[2] = {6, true};
  EXPECT_EQ(ranks.go_on(5, all), "");
  EXPECT_EQ(ranks.go_on(3, all), "rank 2 on a has done nothing for 5 s, while others wait");
}

TEST(RankWatch, NamesSeveralThatAreLastTogether) {
  Watched ranks;
  ranks.beats[1] = ranks.beats[2] = {6, true};
  EXPECT_TRUE(ranks.go_on(9, all).starts_with("rank 1 on b and 1 more have done nothing"));
}

TEST(RankWatch, LeavesWhoeverComputesAlone) {
  Watched ranks;
  ranks.beats[2] = {6, false};
  EXPECT_EQ(ranks.go_on(60, all), "");
}

TEST(RankWatch, LeavesWhoeverComputesNowAndThenAlone) {
  Watched ranks;
  for (int i = 0; i < 20; ++i) {
    ranks.beats[2] = {6, i % 4 != 0};
    EXPECT_EQ(ranks.go_on(1, all), "");
  }
}

TEST(RankWatch, LeavesIdleRanksAloneThatNobodyHasPassed) {
  Watched ranks;
  for (Beat& beat : ranks.beats) beat.is_idle = true;
  EXPECT_EQ(ranks.go_on(60, all), "") << "an operation may take its time";
}

TEST(RankWatch, LeavesAnIdleRankAloneThatGoesOn) {
  Watched ranks;
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (Beat& beat : ranks.beats) beat = {i + 1, true};
    ranks.beats[1].meetings = i;
    EXPECT_EQ(ranks.go_on(1, all), "");
  }
}

TEST(RankWatch, LeavesAnIdleRankAloneThatWaitsForASlowOne) {
  Watched ranks;
  ranks.beats[1] = {6, true};
  ranks.beats[3] = {6, false};
  EXPECT_EQ(ranks.go_on(60, all), "") << "as far as that, for which it may wait";
  ranks.beats[3] = {5, false};
  EXPECT_EQ(ranks.go_on(60, all), "") << "further than that";
}

TEST(RankWatch, BelievesNoPlaceThatThereIsNot) {
  for (const char* text :
       {"", "x", "-1", "1-", "3-1", "2000000000", "0-2000000000", "1,3", "1, "}) {
    Watched ranks({{"hosts", "2"}, {"host0.ranks", text}, {"host1.ranks", text}});
    ranks.watch().hear(-1, {}, ranks.now());
    ranks.watch().hear(4, {}, ranks.now());
    EXPECT_EQ(ranks.go_on(3, {0}), "") << text;
  }
}

}  // namespace rank_watch_test
}  // namespace ridgeline::process
