#include "harness/base/json_stream.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace ridgeline::json {
namespace json_stream_test {

struct Read {
  Value rest;
  std::vector<std::string> elements;  // "path line value, of parent"
};

Read read(const std::string& text, const std::vector<std::string>& paths,
          const StreamLimits& limits = {}) {
  std::istringstream stream(text);
  Read all;
  all.rest = read_elements(
      stream, paths,
      [&](Element&& element) {
        all.elements.push_back(std::to_string(element.path) + " " + std::to_string(element.line) +
                               " " + element.value.dump() + ", of " + element.parent.dump());
      },
      limits);
  all.rest = parse(all.rest.dump());  // which sorts members
  return all;
}

std::size_t failing_line(const std::string& text, const StreamLimits& limits = {}) {
  try {
    read(text, {"a"}, limits);
  } catch (const StreamError& error) {
    return error.line;
  }
  return 0;
}

TEST(ReadElements, GivesElementsAwayWithTheirLineAndKeepsTheRest) {
  const Read all =
      read("{\"b\": 1,\n\"a\": [\n{\"x\": 1},\n2\n, [3,\n4]],\n\"c\": {\"a\": [5]}}", {"a"});
  EXPECT_EQ(all.elements,
            (std::vector<std::string>{"0 3 {\"x\":1}, of {\"b\":1}", "0 4 2, of {\"b\":1}",
                                      "0 5 [3,4], of {\"b\":1}"}));
  EXPECT_EQ(all.rest, parse(R"({"a": [], "b": 1, "c": {"a": [5]}})"));
}

TEST(ReadElements, GoesIntoElements) {
  const Read all = read(R"({"a": [{"n": "x", "s": [1, 2], "m": 3}, {"s": []}]})", {"a", "a/*/s"});
  EXPECT_EQ(all.elements,
            (std::vector<std::string>{"1 1 1, of {\"n\":\"x\"}", "1 1 2, of {\"n\":\"x\"}",
                                      "0 1 {\"n\":\"x\",\"s\":[],\"m\":3}, of {}",
                                      "0 1 {\"s\":[]}, of {}"}));
}

TEST(ReadElements, TakesAnArrayApartThatIsTheDocument) {
  EXPECT_EQ(read("[1,\n\n2]", {""}).elements,
            (std::vector<std::string>{"0 1 1, of null", "0 3 2, of null"}));
}

TEST(ReadElements, MakesTextsOfNumbersThatAreNone) {
  const Read all = read(
      "{\"a\": [NaN, -NaN, Infinity, -Infinity, inf, -inf, nan, true, null, "
      "false, \"NaN x\", -1, 1e5, 1E-5]}",
      {"b"});
  EXPECT_EQ(all.rest,
            parse(R"({"a": ["NaN", "NaN", "Infinity", "-Infinity", "Infinity", "-Infinity", "NaN",)"
                  R"( true, null, false, "NaN x", -1, 1e5, 1E-5]})"));
}

TEST(ReadElements, LeavesTextsAsTheyAre) {
  EXPECT_EQ(read(R"({"NaN": "inf \"NaN\" \\", "x": "a\nb"})", {}).rest,
            parse(R"({"NaN": "inf \"NaN\" \\", "x": "a\nb"})"));
}

TEST(ReadElements, SaysInWhichLineADocumentIsWrong) {
  EXPECT_EQ(failing_line("{\n\"a\": [1,\n}"), 3u);
  EXPECT_EQ(failing_line("{\n\"a\": nul\n}"), 2u);
  EXPECT_EQ(failing_line("{\n\"a\": 1,\n\"a\": 2}"), 3u);
  EXPECT_EQ(failing_line("{\"a\": 1}\n x"), 2u);
  EXPECT_EQ(failing_line("{\"a\":\n1e999}"), 2u);
  EXPECT_EQ(failing_line("{\"a\": \"\xff\"}"), 1u);
  EXPECT_EQ(failing_line(""), 1u);
}

TEST(ReadElements, RefusesWhatIsTooDeepTooLongOrTooMuch) {
  const StreamLimits few{4, 20, 5, 30};
  EXPECT_EQ(failing_line("[[[[1]]]]", few), 0u);
  EXPECT_EQ(failing_line("\n[[[[[1]]]]]", few), 2u);
  EXPECT_EQ(failing_line(std::string(100'000, '['), few), 1u);
  EXPECT_EQ(failing_line("\"" + std::string(19, 'x') + '"', few), 0u);
  EXPECT_EQ(failing_line("\"" + std::string(30, 'x') + '"', few), 1u);
  EXPECT_EQ(failing_line(std::string(2000, '1'), few), 1u);
  EXPECT_EQ(failing_line(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1})", few), 1u);
  std::string many = "[1";
  for (int i = 0; i < 40; ++i) many += ",1";
  EXPECT_EQ(failing_line(many + "]", few), 1u);
  EXPECT_EQ(failing_line("{\"a\": " + many + "]}", few), 0u);  // which are given away
}

}  // namespace json_stream_test
}  // namespace ridgeline::json
