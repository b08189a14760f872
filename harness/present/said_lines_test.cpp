#include "harness/present/said_lines.hpp"

#include <cstdio>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace said_lines_test {

/// What is said of `pieces`, which are written one by one.
std::string said_of(std::initializer_list<std::string_view> pieces) {
  std::FILE* file = std::tmpfile();
  {
    SaidLines lines(file);
    for (const std::string_view piece : pieces)
      lines.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }
  EXPECT_EQ(std::fseek(file, 0, SEEK_SET), 0);
  std::string said(1 << 20, '\0');
  said.resize(std::fread(said.data(), 1, said.size(), file));
  std::fclose(file);
  return said;
}

TEST(SaidLines, AreSaidWholeHoweverTheyCome) {
  EXPECT_EQ(said_of({"a", "b\nc", "\n", "\n::d"}), "ab\nc\n\n\\x3a:d");
  EXPECT_EQ(said_of({}), "");
}

TEST(SaidLines, AnEndlessLineIsCutWhereNothingIsTornApart) {
  for (const std::size_t size : {65'530u, 65'536u, 65'537u, 65'540u}) {
    const std::string long_line(size, 'x');
    EXPECT_EQ(said_of({long_line + "##", "[error]y"}), long_line + "\\x23#[error]y") << size;
    EXPECT_EQ(said_of({long_line + "##team", "city[y]"}), long_line + "\\x23#teamcity[y]") << size;
  }
  std::string letters;
  for (int i = 0; i < 40'000; ++i) letters += "\u00B5";
  EXPECT_EQ(said_of({letters, "\n"}), letters + '\n');
}

}  // namespace said_lines_test
}  // namespace ridgeline::present
