#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/cli/main.hpp"

namespace ridgeline::cli {

/// What the program said, for tests that call it as a function.
struct Said {
  int code = 0;
  std::string out, err;
};

/// `words` are the command line, the program's name first.
inline Said said_to(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Said said;
  said.code = main(static_cast<int>(arguments.size()), arguments.data());
  said.out = testing::internal::GetCapturedStdout();
  said.err = testing::internal::GetCapturedStderr();
  return said;
}

}  // namespace ridgeline::cli
