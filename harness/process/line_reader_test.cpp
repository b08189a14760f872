#include "harness/process/line_reader.hpp"

#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ridgeline::process {
namespace line_reader_test {

class Lines : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0); }
  void TearDown() override {
    close(ends_[0]);
    hang_up();
  }
  void send(const std::string& text) {
    ASSERT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  int ends_[2] = {-1, -1};
  using State = LineReader::State;
};

TEST_F(Lines, JoinsPiecesAndSplitsAtNewlines) {
  LineReader lines(ends_[0], 100);
  EXPECT_EQ(lines.pump(), State::waiting);
  send("one");
  EXPECT_EQ(lines.pump(), State::waiting);
  EXPECT_EQ(lines.held(), "one");
  send(" more\n\nthree\nfo");
  for (const char* line : {"one more", "", "three"}) {
    ASSERT_EQ(lines.pump(), State::line);
    EXPECT_EQ(lines.take(), line);
  }
  EXPECT_EQ(lines.pump(), State::waiting);
  hang_up();
  EXPECT_EQ(lines.pump(), State::ended);
  EXPECT_EQ(lines.held(), "fo");
}

TEST_F(Lines, TakesALineOfTheLimitAndNoLongerOne) {
  LineReader lines(ends_[0], 10);
  send("0123456789\n");
  ASSERT_EQ(lines.pump(), State::line);
  EXPECT_EQ(lines.take(), "0123456789");
  send("0123456789a\n");
  EXPECT_EQ(lines.pump(), State::too_long);
  EXPECT_EQ(lines.pump(), State::too_long);
}

TEST_F(Lines, StopsReadingALineThatNeverEnds) {
  LineReader lines(ends_[0], 10);
  send(std::string(5000, 'x'));
  EXPECT_EQ(lines.pump(), State::too_long);
  EXPECT_LE(lines.held().size(), 65536u);
}

}  // namespace line_reader_test
}  // namespace ridgeline::process
