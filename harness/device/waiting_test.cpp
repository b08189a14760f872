#include "harness/device/waiting.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace ridgeline::device {
namespace waiting_test {

class Waiting : public testing::Test {
 protected:
  void TearDown() override { while_waiting({}); }
};

TEST_F(Waiting, IsLeftToTheBackendWhenThereIsNothingToLookAt) {
  int asked = 0;
  EXPECT_FALSE(wait_looking([&] { return ++asked > 0; }));
  EXPECT_EQ(asked, 0);
}

TEST_F(Waiting, LooksNowAndThenUntilItIsDone) {
  int looks = 0;
  while_waiting([&] { ++looks; });
  EXPECT_TRUE(wait_looking([&] { return looks == 3; }));
  EXPECT_TRUE(wait_looking([] { return true; }));
  EXPECT_EQ(looks, 3) << "what is done needs no look";
}

TEST_F(Waiting, EndsWithWhatALookThrows) {
  while_waiting([] { throw std::runtime_error("a rank is gone"); });
  EXPECT_THROW(wait_looking([] { return false; }), std::runtime_error);
}

}  // namespace waiting_test
}  // namespace ridgeline::device
