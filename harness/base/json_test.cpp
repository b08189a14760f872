#include "harness/base/json.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::json {
namespace json_test {

TEST(Json, WritesEveryTypeInTheOrderItWasSet) {
  Value object{{"text", "a\"b"},
               {"whole", -3},
               {"large", std::uint64_t{18446744073709551615u}},
               {"real", 0.5}};
  object["flag"] = true;
  object["nothing"] = Value();
  object["list"] = std::vector<double>{1, 2.5};
  object["facts"] = std::map<std::string, std::string>{{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(
      object.dump(),
      R"({"text":"a\"b","whole":-3,"large":18446744073709551615,"real":0.5,"flag":true,"nothing":null,)"
      R"("list":[1.0,2.5],"facts":{"a":"1","b":"2"}})");
  EXPECT_EQ(Value({{"a", Value::array()}}).dump(2), "{\n  \"a\": []\n}");
}

TEST(Json, TakesAListOfPairsForAnObjectAndOthersForAnArray) {
  EXPECT_TRUE(Value({{"a", 1}, {"b", 2}}).is_object());
  EXPECT_EQ(Value({1, 2}).dump(), "[1,2]");
  EXPECT_EQ(Value({"a", "b"}).dump(), R"(["a","b"])");
  EXPECT_EQ(Value({{"a", 1}, {"a", 2}}).dump(), R"({"a":2})");
}

TEST(Json, ReplacesWhatJsonCannotHold) {
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Value("a\xFF").dump(), "\"a\xEF\xBF\xBD\"");
}

TEST(Json, TextsOfALineAreThoseOfAPage) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "plain ~"s, "a\"b"s, "a\\b"s, "\n\t\x1F"s, "\x7F"s, "\0"s, "\u00e9"s, "a\xFF"s})
    for (const Letters letters : {Letters::all, Letters::ascii}) {
      const Value array(std::vector<std::string>{text});
      const std::string line = array.dump(-1, letters), page = array.dump(0, letters);
      EXPECT_EQ(line.substr(1, line.size() - 2), page.substr(2, page.size() - 4));
    }
}

TEST(Json, ReadsWhatItWrote) {
  const std::string text = R"({"a":[1,-2,18446744073709551615,0.1,true,null,"x"],"b":{"c":{}}})";
  const Value value = parse(text);
  EXPECT_EQ(value.dump(), text);
  EXPECT_EQ(parse(value.dump(1)), value);
  EXPECT_EQ(value.at("a").elements()[0].integer(), 1);
  EXPECT_DOUBLE_EQ(value.at("a").elements()[3].number(), 0.1);
  EXPECT_EQ(value.find("z"), nullptr);
}

TEST(Json, TellsWholeNumbersThatFit) {
  EXPECT_TRUE(Value(-1).is_integer());
  EXPECT_FALSE(Value(-1).is_unsigned());
  const Value largest(std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(largest.is_integer());
  EXPECT_TRUE(largest.is_unsigned());
  EXPECT_FALSE(Value(1.0).is_integer());
  EXPECT_EQ(Value(1), Value(1u));
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_NE(Value(1), Value("1"));
}

TEST(Json, RefusesOtherTypes) {
  EXPECT_THROW(Value(1).text(), Error);
  EXPECT_THROW(Value("1").number(), Error);
  EXPECT_THROW(Value("1").elements(), Error);
  EXPECT_THROW(Value(-1).unsigned_integer(), Error);
  EXPECT_THROW(Value({{"a", 1}}).at("b"), Error);
  EXPECT_THROW(Value(std::vector<std::string>{"a"})["key"], Error);
  try {
    Value(true).text();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "expected a text, not true or false");
  }
}

TEST(Json, SaysWhereATextStopsBeingJson) {
  try {
    parse(R"({"a":})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.byte, 6u);
  }
  EXPECT_THROW(parse("[1e999]"), Error);
  EXPECT_FALSE(try_parse("{"));
  EXPECT_TRUE(try_parse("{}"));
}

TEST(Json, ListsWhatIsMadeOfEachItem) {
  const std::vector<std::string> words{"a", "bc"};
  EXPECT_EQ(list(words, [](const std::string& word) { return word.size(); }).dump(), "[1,2]");
  EXPECT_EQ(list(std::vector<int>{}, [](int number) { return number; }).dump(), "[]");
}

TEST(Json, HoldsToItsLimits) {
  EXPECT_THROW(parse("[[[1]]]", {100, 2}), LimitError);
  EXPECT_NO_THROW(parse("[[1]]", {100, 2}));
  EXPECT_THROW(parse("[1,2,3,4]", {3, 8}), LimitError);
  EXPECT_THROW(parse(std::string(100'000, '[')), Error);
}

TEST(Json, ReadsAnObjectOfManyKeysInTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  const Value value = parse(text + "\"end\":2}");
  EXPECT_EQ(value.size(), 200'001u);
  EXPECT_EQ(value.at("end").integer(), 2);
}

}  // namespace json_test
}  // namespace ridgeline::json
