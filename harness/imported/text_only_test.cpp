// What begins as no text does is named, and what is text in any way is not.

#include "harness/imported/text_only.hpp"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/imported/contents.hpp"
#include "harness/imported/reading_fixture.hpp"

namespace ridgeline::imported {
namespace text_only_test {

using namespace std::string_literals;

Contents read_head(std::istream& stream, const std::string& file) {
  refuse_what_is_no_text(stream, file);
  EXPECT_EQ(stream.tellg(), 0);
  return {};
}

std::string refused(const std::string& text) { return refusal(read_head, text); }

/// `text` with a byte of 0 after each other, or before it.
std::string wide(const std::string& text, bool before = false) {
  std::string made;
  for (const char c : text) made += before ? std::string{'\0', c} : std::string{c, '\0'};
  return made;
}

TEST(TextOnly, NamesWhatAFileIsInstead) {
  const std::string json = R"({"context": {}, "benchmarks": []})";
  std::string random;
  std::mt19937 bits(1);
  for (int i = 0; i < 4096; ++i) random += static_cast<char>(bits());
  const std::pair<std::string, std::string> files[] = {
      {"\x1f\x8b\x08"s, "compressed with gzip"},
      {"\x28\xb5\x2f\xfd\x04"s, "compressed with zstd"},
      {"BZh9"s, "compressed with bzip2"},
      {"\xfd\x37zXZ\x00\x00"s, "compressed with xz"},
      {"PK\x03\x04"s, "compressed with zip"},
      {"\xff\xfe" + wide(json), "text in UTF-16"},
      {"\xfe\xff" + wide(json, true), "text in UTF-16"},
      {wide(json), "text in UTF-16"},
      {"\xff\xfe\x00\x00"s + wide(wide(json)), "text in UTF-32"},
      {"SQLite format 3\0"s + std::string(84, '\0'), "a binary file"},
      {"\x7f"s + "ELF\x02\x01\x01"s + std::string(9, '\0'), "a binary file"},
      {random, "a binary file"},
  };
  for (const auto& [text, what] : files)
    EXPECT_NE(refused(text).find("x.txt: it is " + what), std::string::npos) << refused(text);
}

TEST(TextOnly, TakesAllText) {
  const std::string rows(2000, 'x');
  for (const std::string& text :
       {""s, "{"s, "\xef\xbb\xbf{}"s, "a\tb\r\n\f"s, "\x1b[31mred\x1b[0m\n"s, "gr\xc3\xbc\xc3\x9f"s,
        rows + '\0' + rows, fixture("nccl_noise_srun.txt")})
    EXPECT_EQ(refused(text), "") << text.substr(0, 20);
}

}  // namespace text_only_test
}  // namespace ridgeline::imported
