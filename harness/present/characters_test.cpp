// Figures made of characters.

#include <cstdlib>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/present/roofline_text.hpp"
#include "harness/present/sparkline.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace characters_test {

TEST(Sparkline, TheLowestIsAtTheBottomAndAGapIsSeen) {
  EXPECT_EQ(sparkline({1, 2, std::nullopt, 8}, Glyphs::unicode), "▁▂x█");
  EXPECT_EQ(sparkline({1, 2, std::nullopt, 8}, Glyphs::ascii), "_.x^");
  EXPECT_EQ(sparkline({5, 5}, Glyphs::ascii), "~~");
  EXPECT_EQ(sparkline({}, Glyphs::ascii), "");
  EXPECT_EQ(sparkline({std::nullopt}, Glyphs::unicode), "x");
}

TEST(Sparkline, ASmallDifferenceFillsNoMoreThanItsPartOfTheHeight) {
  EXPECT_EQ(sparkline({475.1, 475.3}, Glyphs::unicode), "▁█");
  EXPECT_EQ(sparkline({475.1, 475.3}, Glyphs::unicode, 20), "▅▅");
  EXPECT_EQ(sparkline({470, std::nullopt, 480}, Glyphs::unicode, 20), "▃x▇");
  EXPECT_EQ(sparkline({400, 500}, Glyphs::unicode, 20), "▁█");
}

class Locale : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : names)
      if (const char* value = std::getenv(name)) kept[name] = value;
  }
  void TearDown() override {
    for (const char* name : names) unsetenv(name);
    for (const auto& [name, value] : kept) setenv(name.c_str(), value.c_str(), 1);
  }
  static Glyphs with(const char* all, const char* lang) {
    for (const char* name : names) unsetenv(name);
    if (all != nullptr) setenv("LC_ALL", all, 1);
    if (lang != nullptr) setenv("LANG", lang, 1);
    return glyphs_of_locale();
  }
  static constexpr const char* names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  std::map<std::string, std::string> kept;
};

TEST_F(Locale, DecidesWhichCharactersAreShown) {
  EXPECT_EQ(with(nullptr, nullptr), Glyphs::ascii);
  EXPECT_EQ(with(nullptr, "C.UTF-8"), Glyphs::unicode);
  EXPECT_EQ(with(nullptr, "de_DE.utf8"), Glyphs::unicode);
  EXPECT_EQ(with("C", "C.UTF-8"), Glyphs::ascii);
  EXPECT_EQ(with("", "C.UTF-8"), Glyphs::unicode);
}

/// A slope of 1 TB/s that meets 100 TFLOP/s at 100 FLOP/B.
TextRoofline example() {
  return {{1e12}, {100e12}, {{1, 1e12, 'a'}, {10, 2e12, 'b'}, {1000, 100e12, 'c'}}};
}

TEST(RooflineText, SpotsLieBelowTheRoofs) {
  const std::string figure = roofline_text(example(), Glyphs::ascii, 60, 9);
  EXPECT_EQ(figure,
            " 100 TFLOP/s |                   ............c\n"
            "             |                ...\n"
            "             |             ...\n"
            "10.0 TFLOP/s |           ..\n"
            "             |        ...\n"
            "             |     ...\n"
            "             |   ..     b\n"
            "1.00 TFLOP/s |a..\n"
            "              1         10        100        1000  FLOP/B\n")
      << figure;
}

TEST(RooflineText, KeepsToItsWidthAndHeight) {
  for (const Glyphs glyphs : {Glyphs::ascii, Glyphs::unicode})
    for (const std::size_t width : {40u, 80u, 300u}) {
      std::istringstream lines(roofline_text(example(), glyphs, width, 12));
      std::size_t count = 0;
      for (std::string line; std::getline(lines, line); ++count)
        EXPECT_LE(characters(line), std::max<std::size_t>(width, 50)) << line;
      EXPECT_EQ(count, 12u);
    }
}

TEST(RooflineText, OddValuesAreDrawnAsFarAsTheyCan) {
  EXPECT_EQ(roofline_text({}, Glyphs::ascii, 80), "");
  EXPECT_NE(roofline_text({{}, {}, {{2, 3e9, 'z'}}}, Glyphs::unicode, 80).find('z'),
            std::string::npos)
      << "without roofs";
  EXPECT_NE(roofline_text({{1e300}, {1e300}, {{1e-300, 1, 'z'}}}, Glyphs::ascii, 80).find('z'),
            std::string::npos);
}

}  // namespace characters_test
}  // namespace ridgeline::present
