#include "harness/emulated/remedies.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace remedies_test {

TEST(Remedies, TheCommonestMistakesHaveOne) {
  for (const char* const check :
       {"race (read after write)", "race (write after write)", "race (write after read)",
        "race between blocks (read after write)", "race between blocks (write after access)",
        "missing fence", "uninitialised (global)", "uninitialised (shared)",
        "uninitialised (download)", "out of bounds (global)", "out of bounds (shared)",
        "misaligned", "divergent barrier"})
    EXPECT_NE(remedy_of(check), "") << check;
}

TEST(Remedies, WhatSaysItselfWhatToDoHasNone) {
  for (const char* const check : {"", "race", "deadlock", "unsupported", "cudaMemcpy"})
    EXPECT_EQ(remedy_of(check), "") << check;
}

TEST(Remedies, AreHalfSentences) {
  for (const char* const check : {"missing fence", "out of bounds (global)", "null pointer"}) {
    const std::string remedy(remedy_of(check));
    ASSERT_FALSE(remedy.empty()) << check;
    EXPECT_FALSE(remedy.ends_with('.')) << remedy;
    EXPECT_EQ(std::ranges::count(remedy, '\n'), 0) << remedy;
  }
}

}  // namespace remedies_test
}  // namespace ridgeline::emulated
