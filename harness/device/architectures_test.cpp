#include "harness/device/architectures.hpp"

#include <gtest/gtest.h>

namespace ridgeline::device {
namespace architectures_test {

TEST(Architectures, RunOnTheirMajorVersionUpwardsAndPtxOnAllNewerOnes) {
  struct Row {
    const char* architectures;
    int capability;
    Code code;
  };
  const Row rows[] = {
      {"80,90a", 80, Code::machine},
      {"80,90a", 86, Code::machine},
      {"80,90a", 89, Code::machine},
      {"80,90a", 90, Code::machine},
      {"80,90a", 75, Code::none},
      {"80,90a", 100, Code::none},
      {"80,90a", 120, Code::none},
      {"86", 80, Code::none},
      {"90a", 91, Code::none},
      {"100a", 100, Code::machine},
      {"80-real,90a-real", 90, Code::machine},
      {"80-real", 86, Code::machine},
      {"80,90a,compute_80", 90, Code::machine},
      {"80,compute_80", 90, Code::ptx},
      {"compute_80,80", 86, Code::machine},
      {"80,90a,compute_80", 120, Code::ptx},
      {"80,90a,compute_80", 75, Code::none},
      {"compute_90", 80, Code::none},
      {"compute_", 80, Code::none},
      {"", 80, Code::none},
      {",", 80, Code::none},
      {"native", 80, Code::none},
  };
  for (const Row& row : rows)
    EXPECT_EQ(code_for(row.architectures, row.capability), row.code)
        << row.architectures << ' ' << row.capability;
}

}  // namespace architectures_test
}  // namespace ridgeline::device
