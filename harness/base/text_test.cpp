#include "harness/base/text.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace text_test {

TEST(Text, PatternsPickCasesAcrossSlashesAndBelowAnyPrefixThatEndsAtOne) {
  const char* name = "gemm/naive/f32/m=64,n=64,k=64";
  for (const char* pattern :
       {"gemm", "gemm/naive", "gemm/naive/", "gemm/*", "*", "*/f32/*", "gemm/n?ive/*", "gemm/*/f32",
        "gemm/*/f32/", "*/naive", "gemm/n?ive", "????", name})
    EXPECT_TRUE(matches(pattern, name)) << pattern;
  EXPECT_TRUE(matches("a[b]\\*", "a[b]\\c"));
  for (const char* pattern : {"gem", "gemm/nai", "naive", "gemm/*/f64/*", "gemm/*/f3", "*/nai",
                              "gemm/*/f32//", "?", "???", "/", "", "[g]emm", "gemm\\/naive"})
    EXPECT_FALSE(matches(pattern, name)) << pattern;
}

TEST(Text, PatternsAndNamesGoOnBehindANul) {
  using std::string_view_literals::operator""sv;
  EXPECT_FALSE(matches("?", "a\0b"sv));
  EXPECT_FALSE(matches("gemm\0x"sv, "gemm"));
  EXPECT_TRUE(matches("a*c", "a\0c"sv));
}

TEST(Text, ManyStarsAreMatchedAsSoonAsFew) {
  std::string stars;
  for (int i = 0; i < 100; ++i) stars += "*a";
  EXPECT_TRUE(matches(stars, std::string(400, 'a')));
  EXPECT_FALSE(matches(stars + "*b*c", std::string(400, 'a')));
}

TEST(Text, WellFormedUtf8IsToldFromEverythingElse) {
  for (const char* good : {"", "gemm", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\xFF", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE0\x80\x80"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(Text, PrintableEscapesControlAndBrokenBytesAndCuts) {
  EXPECT_EQ(printable("a\n\x1b[2J\xFF\xC3\xA9"), "a\\x0a\\x1b[2J\\xff\xC3\xA9");
  EXPECT_EQ(printable("abcdefg", 3), "abc...");
  EXPECT_EQ(printable("abcdef", 3), "abcdef");
  // Also where an escape, which is one character, would pass the limit.
  for (const char* text :
       {"ab\x7f\x7f", "ab\u202E\u202E", "\x7f\x7f\x7f\x7f", "abc\x7f\x7f", "\n..."}) {
    const std::string shown = printable(text, 3);
    EXPECT_EQ(printable(shown, 3), shown);
    EXPECT_LE(shown.size(), 6u) << shown;
  }
  // C1 controls, which terminals obey as they do ESC [ and ESC ], and marks that turn text around.
  EXPECT_EQ(printable("\u009B2J\u009D0;x\u009C"), "\\xc2\\x9b2J\\xc2\\x9d0;x\\xc2\\x9c");
  for (const char* mark :
       {"\u0080", "\u061C", "\u200E", "\u2028", "\u202E", "\u2066", "\u2069", "\u00AD", "\u200B",
        "\u200D", "\u2060", "\u206A", "\uFEFF", "\u3164", "\uFFFE", "\U000E0041", "\uFE0F"})
    EXPECT_TRUE(printable(mark).starts_with("\\x")) << printable(mark);
  for (const char* shown :
       {"\u00A0", "\u00AE", "\u00E9", "\u2010", "\u2070", "\uFFFD", "\U0001F600", "±", "→"})
    EXPECT_EQ(printable(shown), shown);
}

TEST(Text, HarmlessLinesAreObeyedByNobody) {
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},
      {"a\tb: 3::4 \u00B5s\r\nc\n", "a\tb: 3::4 \u00B5s\r\nc\n"},
      {"a\rb\x1b[2J\n\r", "a\\x0db\\x1b[2J\n\\x0d"},
      {"::error::x\n \t::x::\n:x", "\\x3a:error::x\n \t\\x3a:x::\n:x"},
      {"\u2003::x\n\x85::x", "\u2003\\x3a:x\n\\x85\\x3a:x"},  // a space, and what may be one
      {"a ###[group]\n##[", "a #\\x23#[group]\n\\x23#["},
      {"## a [b]\n##vso[x]##teamcity[y]", "## a [b]\n\\x23#vso[x]\\x23#teamcity[y]"},
      {"a\u009B2J\u202Eb\xFF", "a\\xc2\\x9b2J\\xe2\\x80\\xaeb\\xff"},
  };
  for (const auto& [text, shown] : rows) EXPECT_EQ(harmless(text), shown);
}

TEST(Text, NearestSuggestsOnlyWhatIsNear) {
  EXPECT_EQ(nearest("gem", {"gemm", "roofs"}), "gemm");
  EXPECT_EQ(nearest("atention", {"gemm", "attention"}), "attention");
  EXPECT_EQ(nearest("zzzzzz", {"gemm", "roofs"}), "");
}

TEST(Text, AnyOfSeveralPatternsPicksAndNonePicksAll) {
  EXPECT_TRUE(any_matches({"scan", "gemm"}, "gemm/naive"));
  EXPECT_FALSE(any_matches({"scan", "roofs"}, "gemm/naive"));
  EXPECT_TRUE(any_matches({}, "gemm/naive"));
}

TEST(Text, APatternThatPicksNothingIsRefusedWithAdvice) {
  const std::vector<std::string> names{"gemm/naive", "scan/naive"};
  EXPECT_NO_THROW(check_picks({"gemm", "*/naive"}, names, "the run", "look"));
  const std::pair<const char*, const char*> rows[] = {
      {"gemm/naiv", "did you mean gemm/naive? look"}, {"x", "look"}};
  for (const auto& [pattern, advice] : rows) try {
      check_picks({"gemm", pattern}, names, "the run", "look");
      ADD_FAILURE() << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_EQ(error.what(), std::string("the run has no case ") + pattern);
      EXPECT_EQ(error.advice(), advice);
    }
}

}  // namespace text_test
}  // namespace ridgeline
