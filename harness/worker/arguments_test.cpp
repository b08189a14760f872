#include "harness/worker/arguments.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::worker {
namespace arguments_test {

Arguments parse(std::vector<std::string> words) {
  words.insert(words.begin(), "ridgeline-suites");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_arguments(static_cast<int>(argv.size()), argv.data());
}

TEST(Arguments, BothSpellingsOfAValueAreUnderstoodAndTheRestIsLeft) {
  const Arguments first = parse({"--device", "cpu", "--benchmark_filter=gemm"});
  EXPECT_EQ(first.device, "cpu");
  EXPECT_EQ(first.rest, (std::vector<std::string>{"ridgeline-suites", "--benchmark_filter=gemm"}));
  EXPECT_EQ(parse({"--device=cuda:0", "--once=gemm/naive"}).once, "gemm/naive");
  EXPECT_EQ(parse({"--worker", "--connect", "127.0.0.1:1"}).connect, "127.0.0.1:1");
  EXPECT_TRUE(parse({"-h"}).help);
}

TEST(Arguments, WhatCannotBeUnderstoodIsAUsageError) {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } rows[] = {
      {{"--devise", "cpu"}, "unknown argument '--devise'"},
      {{"gemm"}, "unknown argument 'gemm'"},
      {{"--devicecpu"}, "unknown argument '--devicecpu'"},
      {{"--device"}, "--device needs a value"},
      {{"--device="}, "--device needs a value"},
      {{"--device=a", "--device=b"}, "--device is given twice"},
      {{"--once", "\xFF"}, "the value of --once is not UTF-8 text: \\xff"},
      {{"\xC3("}, "argument 1 is not UTF-8 text: \\xc3("},
      {{"--connect=a:1"}, "--connect is for --worker alone"},
      {{"--worker", "--device=cpu"},
       "--worker takes no other flag than --connect: cases and devices are named by the protocol"},
      {{"--once=a", "--benchmark_filter=b"}, "--once does not go with --benchmark_filter=b"},
  };
  for (const auto& row : rows) {
    try {
      parse(row.words);
      ADD_FAILURE() << "accepted: " << row.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_STREQ(error.what(), row.message);
    }
  }
}

}  // namespace arguments_test
}  // namespace ridgeline::worker
