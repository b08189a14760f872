#include "harness/protocol/rank_note.hpp"

#include <climits>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline::protocol {
namespace rank_note_test {

const RankNote lost{3, {"the link is gone", "plug it in", 69, FailureCause::out_of_memory}};

std::string line_of(const RankNote& note) {
  const std::string line = to_line(note);
  return line.substr(1, line.size() - 2);
}

TEST(RankNote, IsReadAsItWasWritten) {
  const std::string line = to_line(lost);
  EXPECT_EQ(line.front(), '\n') << "somebody may have begun a line";
  EXPECT_EQ(line.find('\n', 1), line.size() - 1);
  const auto read = parse_rank_note(line_of(lost));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rank, 3);
  EXPECT_EQ(read->failure.message, "the link is gone");
  EXPECT_EQ(read->failure.advice, "plug it in");
  EXPECT_EQ(read->failure.exit_code, 69);
  EXPECT_EQ(read->failure.cause, FailureCause::out_of_memory);
}

TEST(RankNote, IsFoundBehindWhatALauncherPutsBeforeIt) {
  const auto read = parse_rank_note("[1,3]<stderr>:" + line_of(lost));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rank, 3);
}

TEST(RankNote, FitsIntoOneWriteHoweverLongItsTextsAre) {
  for (const char* text : {"x", "\\", "\"", "\x01", "\xc3\xa9"}) {
    std::string texts;
    while (texts.size() < 10'000) texts += text;
    EXPECT_LE(to_line({INT_MAX, {texts, texts, 70}}).size(), 4096u) << text;
    EXPECT_TRUE(parse_rank_note(line_of({INT_MAX, {texts, texts, 70}}))) << text;
  }
}

TEST(RankNote, IsNothingElse) {
  for (const char* line :
       {"", "ridgeline-rank ", "ridgeline-rank 1", "ridgeline-rank x {}", "ridgeline-rank 1 {}",
        "ridgeline-rank 1 {\"reply\":\"open\"}", "ridgeline-rank 1 {\"reply\":\"error\"",
        R"(ridgeline-rank -1 {"reply":"error","message":"m","advice":"","exit_code":70})",
        R"(rank 1 {"reply":"error","message":"m","advice":"","exit_code":70})"})
    EXPECT_FALSE(parse_rank_note(line)) << line;
}

}  // namespace rank_note_test
}  // namespace ridgeline::protocol
