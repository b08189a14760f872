#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "harness/measure/distrust.hpp"

namespace ridgeline::measure {
namespace looks_test {

int taken(Looks looks, std::chrono::milliseconds each) {
  int count = 0;
  while (looks.more()) {
    ++count;
    std::this_thread::sleep_for(each);
  }
  return count;
}

TEST(Looks, AreManyWhereTheyCostLittle) {
  EXPECT_EQ(taken(Looks(1'000'000'000'000), std::chrono::milliseconds(0)), Looks::most);
}

TEST(Looks, OfAKernelThatSleepsEndWithTheirTime) {
  EXPECT_LT(taken(Looks(100'000'000), std::chrono::milliseconds(20)), 6);
}

}  // namespace looks_test
}  // namespace ridgeline::measure
