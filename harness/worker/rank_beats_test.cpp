#include "harness/worker/rank_beats.hpp"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "harness/protocol/rank_note.hpp"

namespace ridgeline::worker {
namespace rank_beats_test {

constexpr std::chrono::milliseconds period(20);
constexpr int most_beats = 500;

/// Rank 1, whose beats go to a pipe.
class Beats : public testing::Test, public measure::Group {
 protected:
  Beats() {
    setenv(protocol::token_variable, "5e4f", 1);
    if (pipe2(pipe_, O_CLOEXEC) != 0) std::abort();
  }
  ~Beats() override {
    unsetenv(protocol::token_variable);
    for (const int end : pipe_) close(end);
  }
  int size() const override { return 2; }
  int rank() const override { return 1; }

  protocol::Beat next() {
    while (true) {
      std::string line;
      for (char byte = 0; read(pipe_[0], &byte, 1) == 1 && byte != '\n';) line += byte;
      if (line.empty()) continue;
      const auto note = protocol::parse_rank_note(line, "5e4f", 2);
      if (!note || note->rank != 1) throw std::runtime_error("no beat: " + line);
      return std::get<protocol::Beat>(note->said);
    }
  }
  bool are_there() const {
    pollfd some{pipe_[0], POLLIN, 0};
    return poll(&some, 1, 0) == 1;
  }
  bool says(bool is_idle) {
    for (int i = 0; i < most_beats; ++i)
      if (next().is_idle == is_idle) return true;
    return false;
  }

  int pipe_[2] = {};
};

TEST_F(Beats, SayHowFarTheRankIs) {
  count_meeting();
  const RankBeats beats(*this, {period, -1}, pipe_[1]);
  EXPECT_EQ(next().meetings, 1u);
  count_meeting();
  int i = 0;
  while (i < most_beats && next().meetings != 2) ++i;
  EXPECT_LT(i, most_beats);
}

TEST_F(Beats, SayWhetherTheRankIsIdle) {
  if (!std::ifstream("/proc/self/schedstat")) GTEST_SKIP() << "not counted here";
  const RankBeats beats(*this, {period, -1}, pipe_[1]);
  EXPECT_TRUE(says(true)) << "this thread only waits for beats";
  for (int i = 0; i < 20; ++i) {
    const auto until = std::chrono::steady_clock::now() + 4 * period;
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  EXPECT_TRUE(says(false)) << "it has only run since";
}

TEST_F(Beats, AreSaidWhenTheRankIsAskedAndNotBefore) {
  int asked[2] = {};
  ASSERT_EQ(pipe2(asked, O_CLOEXEC), 0);
  const RankBeats beats(*this, {std::chrono::milliseconds(-1), asked[0]}, pipe_[1]);
  for (std::uint64_t i = 1; i < 4; ++i) {
    usleep(20'000);
    count_meeting();
    EXPECT_EQ(write(asked[1], "\n\n", 2), 2);
    EXPECT_EQ(next().meetings, i) << "the only one: none was said before the meeting";
  }
  close(asked[1]);  // whoever asked has ended
  usleep(50'000);
  EXPECT_FALSE(are_there());
  close(asked[0]);
}

TEST_F(Beats, AreLeftOutWhereNobodyReads) {
  fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
  const std::string much(1 << 20, 'x');
  EXPECT_GT(write(pipe_[1], much.data(), much.size()), 0);
  fcntl(pipe_[1], F_SETFL, 0);
  { const RankBeats beats(*this, {std::chrono::milliseconds(1), -1}, pipe_[1]); }
}

TEST_F(Beats, AreNotSaidWithoutAToken) {
  unsetenv(protocol::token_variable);
  {
    const RankBeats beats(*this, {std::chrono::milliseconds(1), -1}, pipe_[1]);
    usleep(50'000);
  }
  EXPECT_FALSE(are_there());
}

}  // namespace rank_beats_test
}  // namespace ridgeline::worker
