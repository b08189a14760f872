#include <fstream>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::run {
namespace program_code_test {

class ProgramCode : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& content) {
    const std::filesystem::path path = testing::TempDir() + "synthetic-program";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  static record::Build build(const std::string& code_hash) {
    record::Build made;
    made.code_hash = code_hash;
    return made;
  }
};

TEST_F(ProgramCode, IsTheWorkersOwnHashWhereItKnowsOne) {
  EXPECT_EQ(program_code(build("12ab"), "/no/such/program"), "12ab");
}

TEST_F(ProgramCode, IsOfTheFilesBytesWhereTheWorkerKnowsNone) {
  const std::string long_one(200'000, 'x');
  std::string other = long_one;
  other.front() = 'y';
  for (const char* unknown : {"", "unknown"}) {
    const std::string before = program_code(build(unknown), file(long_one));
    EXPECT_EQ(before, program_code(build(unknown), file(long_one)));
    EXPECT_NE(before, program_code(build(unknown), file(long_one + "y")));
    EXPECT_NE(before, program_code(build(unknown), file(other)));
  }
  EXPECT_EQ(program_code(build(""), file("foobar")),
            "file 85944171f73967e8");  // as published for FNV-1a
  EXPECT_EQ(program_code(build(""), file("")), "file cbf29ce484222325");
}

TEST_F(ProgramCode, NeedsAFileThatCanBeRead) {
  EXPECT_THROW(program_code(build(""), "/no/such/program"), Error);
  EXPECT_THROW(program_code(build(""), "/"), Error);
}

}  // namespace program_code_test
}  // namespace ridgeline::run
