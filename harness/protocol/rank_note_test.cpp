#include "harness/protocol/rank_note.hpp"

#include <climits>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace rank_note_test {

constexpr std::string_view token = "5e4f";
const Failure gone{"the link is gone", "plug it in", 69, FailureCause::out_of_memory};

std::string line_of(const RankNote& note) {
  const std::string line = to_line(note, token);
  return line.substr(1, line.size() - 2);
}

std::optional<RankNote> parse(std::string_view line) { return parse_rank_note(line, token, 4); }

/// As somebody may write it who knows the token.
std::string line_by_hand(int rank, const Failure& failure) {
  return fmt::format("ridgeline-rank {} {} {}", token, rank, to_line(AnyAnswer(failure)));
}

TEST(RankNote, IsReadAsItWasWritten) {
  const std::string line = to_line({3, gone}, token);
  EXPECT_EQ(line.front(), '\n') << "somebody may have begun a line";
  EXPECT_EQ(line.find('\n', 1), line.size() - 1);
  const auto read = parse(line_of({3, gone}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rank, 3);
  const auto& failure = std::get<Failure>(read->said);
  EXPECT_EQ(failure.message, "the link is gone");
  EXPECT_EQ(failure.advice, "plug it in");
  EXPECT_EQ(failure.exit_code, 69);
  EXPECT_EQ(failure.cause, FailureCause::out_of_memory);
}

TEST(RankNote, OfABeatIsReadAsItWasWritten) {
  for (const bool is_idle : {false, true}) {
    const auto read = parse(line_of({0, Beat{12, is_idle}}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->rank, 0);
    EXPECT_EQ(std::get<Beat>(read->said).meetings, 12u);
    EXPECT_EQ(std::get<Beat>(read->said).is_idle, is_idle);
  }
}

TEST(RankNote, IsFoundBehindWhatALauncherPutsBeforeIt) {
  const auto read = parse("[1,3]<stderr>:" + line_of({3, gone}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rank, 3);
}

TEST(RankNote, FitsIntoOneWriteHoweverLongItsTextsAre) {
  const std::string longest(32, 'f');
  for (const char* text : {"x", "\\", "\"", "\x01", "\xc3\xa9"}) {
    std::string texts;
    while (texts.size() < 10'000) texts += text;
    const std::string line = to_line({INT_MAX - 1, Failure{texts, texts, 70}}, longest);
    EXPECT_LE(line.size(), 4096u) << text;
    EXPECT_TRUE(parse_rank_note(line.substr(1), longest, INT_MAX)) << text;
  }
}

TEST(RankNote, OfAnotherTeamIsNone) {
  const std::string line = line_of({3, gone});
  EXPECT_FALSE(parse_rank_note(line, "5e4e", 4)) << "another token";
  EXPECT_FALSE(parse_rank_note(line, "5e4", 4)) << "a part of one";
  EXPECT_FALSE(parse_rank_note(line, token, 3)) << "there is no rank 3";
  EXPECT_FALSE(parse(line_by_hand(-1, gone)));
  EXPECT_FALSE(parse(line_by_hand(0, gone))) << "rank 0 answers";
}

TEST(RankNote, HasAnExitCodeOfAProgram) {
  for (const int exit_code : {1, 255}) {
    const auto read = parse(line_by_hand(1, {"m", "", exit_code}));
    ASSERT_TRUE(read);
    EXPECT_EQ(std::get<Failure>(read->said).exit_code, exit_code);
  }
  for (const int exit_code : {-1, 0, 256, INT_MAX})
    EXPECT_FALSE(parse(line_by_hand(1, {"m", "", exit_code}))) << exit_code;
}

TEST(RankNote, HasShortTextsThatCanBeShown) {
  const auto read = parse(line_by_hand(1, {"\x1b[2J", std::string(5000, 'x'), 70}));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Failure>(read->said).message, "\\x1b[2J");
  EXPECT_LE(std::get<Failure>(read->said).advice.size(), 1010u);
  const std::string texts(5000, 'x');
  const auto cut = parse(line_of({1, Failure{texts, texts, 70}}));
  ASSERT_TRUE(cut);
  EXPECT_FALSE(std::get<Failure>(cut->said).message.ends_with("......")) << "cut twice";
}

TEST(RankNote, IsNothingElse) {
  for (const char* line :
       {"", "ridgeline-rank ", "ridgeline-rank 1", "ridgeline-rank 5e4f", "ridgeline-rank 5e4f 1",
        "ridgeline-rank 5e4f x {}", "ridgeline-rank 5e4f 1 {}",
        "ridgeline-rank 5e4f 1 {\"reply\":\"open\"}", "ridgeline-rank 5e4f 1 {\"reply\":\"error\"",
        "ridgeline-rank 5e4f 1 beat", "ridgeline-rank 5e4f 1 beat 7",
        "ridgeline-rank 5e4f 1 beat x idle", "ridgeline-rank 5e4f 1 beat -1 idle",
        "ridgeline-rank 5e4f 1 beat 7 idle ", "ridgeline-rank 5e4f 4 beat 7 idle",
        R"(ridgeline-rank 1 {"reply":"error","message":"m","advice":"","exit_code":70})",
        R"(rank 5e4f 1 {"reply":"error","message":"m","advice":"","exit_code":70})"})
    EXPECT_FALSE(parse(line)) << line;
}

}  // namespace rank_note_test
}  // namespace ridgeline::protocol
