#include "harness/imported/names.hpp"

#include <gtest/gtest.h>

namespace ridgeline::imported {
namespace names_test {

TEST(Word, KeepsWhatWordsHaveAndEscapesAllElse) {
  EXPECT_EQ(word("BM_Copy"), "BM_Copy");
  EXPECT_EQ(word("BM_Copy<float>"), "BM_Copy+3cfloat+3e");
  EXPECT_EQ(word("a b=c,d/e"), "a+20b+3dc+2cd+2fe");
  EXPECT_EQ(word("\x1b[31m\n"), "+1b+5b31m+0a");
  EXPECT_EQ(word("ü"), "+c3+bc");
  EXPECT_EQ(word(""), "+");
}

TEST(Word, DiffersWhereTextsDo) {
  EXPECT_NE(word("+3c"), word("<"));
  EXPECT_NE(word("+"), word(""));
}

TEST(CaseOf, TakesNamesOfOursApart) {
  const auto id = case_of("gemm/naive/f32/m=8,n=8,k=8,cache=hot");
  ASSERT_TRUE(id);
  EXPECT_EQ(record::name(*id), "gemm/naive/f32/m=8,n=8,k=8,cache=hot");
  EXPECT_EQ(id->problem.size(), 4u);
}

TEST(CaseOf, RefusesOthers) {
  for (const char* name :
       {"", "BM_Copy", "BM_Copy/8", "a/b/c", "a/b/c/", "a/b/c/d", "a/b/c/d=", "a/b/c/=1",
        "a/b/c/d=1,", "a/b/c/d=1/e", "a//c/d=1", "a b/b/c/d=1", "a/b/c/d=1,,e=2"})
    EXPECT_FALSE(case_of(name)) << name;
}

TEST(ProgramOf, IsTheLastPartOfAPath) {
  EXPECT_EQ(program_of("./build/my_bench", "x"), "my_bench");
  EXPECT_EQ(program_of("my bench", "x"), "my+20bench");
  EXPECT_EQ(program_of("", "x"), "x");
  EXPECT_EQ(program_of("/", "x"), "x");
}

}  // namespace names_test
}  // namespace ridgeline::imported
