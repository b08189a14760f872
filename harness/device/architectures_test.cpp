#include "harness/device/architectures.hpp"

#include <gtest/gtest.h>

namespace ridgeline::device {
namespace {

TEST(Architectures, RunOnTheirMajorVersionUpwards) {
  struct Row {
    const char* architectures;
    int capability;
    bool runs;
  };
  const Row rows[] = {
      {"80,90a", 80, true},
      {"80,90a", 86, true},
      {"80,90a", 89, true},
      {"80,90a", 90, true},
      {"80,90a", 75, false},
      {"80,90a", 100, false},
      {"80,90a", 120, false},
      {"86", 80, false},
      {"90a", 91, false},
      {"100a", 100, true},
      {"80-real,90a-real", 90, true},
      {"80-real", 86, true},
      {"", 80, false},
      {",", 80, false},
      {"native", 80, false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(has_code_for(row.architectures, row.capability), row.runs)
        << row.architectures << ' ' << row.capability;
}

}  // namespace
}  // namespace ridgeline::device
