#include "harness/process/last_line.hpp"

#include <string>

#include <gtest/gtest.h>

namespace ridgeline::process {
namespace last_line_test {

TEST(LastLine, IsTheLastWithAWord) {
  EXPECT_EQ(last_line("first\n  last \r\n\n==\n \n"), "last");
  EXPECT_EQ(last_line("never ends"), "never ends");
  EXPECT_EQ(last_line("first\nпоследний\n"), "последний");
  for (const char* nothing : {"", "\n\n", " \t", "*** ---\n"}) EXPECT_EQ(last_line(nothing), "");
}

TEST(LastLine, IsTheProgramsRatherThanWhatALauncherFrames) {
  const std::string rule = std::string(74, '-') + "\n",
                    frame = rule + "rank 1 has ended\n\nall others are ended, too\n" + rule;
  EXPECT_EQ(last_line("no such link\n" + frame + frame), "no such link");
  EXPECT_EQ(last_line(frame + "no such link\n" + frame), "no such link");
  EXPECT_EQ(last_line(frame), "all others are ended, too") << "nothing else was said";
  EXPECT_EQ(last_line(rule), "");
  EXPECT_EQ(last_line("an option --\n----\n"), "an option --") << "a frame is wide";
}

}  // namespace last_line_test
}  // namespace ridgeline::process
