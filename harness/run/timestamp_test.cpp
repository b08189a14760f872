#include "harness/run/timestamp.hpp"

#include <regex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace timestamp_test {

TEST(RunId, TheOneThatIsMadeLaterSortsLater) {
  std::string before = new_run_id();
  EXPECT_TRUE(std::regex_match(before, std::regex("[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}"))) << before;
  for (int i = 0; i < 1000; ++i) {
    std::string id = new_run_id();
    EXPECT_EQ(id.size(), before.size());
    ASSERT_LT(before, id);
    before = std::move(id);
  }
}

}  // namespace timestamp_test
}  // namespace ridgeline::run
