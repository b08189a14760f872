#include "harness/run/claimed_times.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace claimed_times_test {

const std::vector<double> ten_of_20_ms(10, 20e6);

TEST(ClaimedTimes, AreImpossibleWhenTheyAddUpToMoreThanWasWaited) {
  EXPECT_EQ(impossible_times(ten_of_20_ms, 1, 0.1),
            "the worker says that its 10 samples took 200 ms together, and it was waited for 100 "
            "ms: these times cannot have been measured");
  EXPECT_EQ(impossible_times(ten_of_20_ms, 1, 0.2), "");
  EXPECT_EQ(impossible_times(ten_of_20_ms, 1, 5), "");
}

TEST(ClaimedTimes, AreOfAllExecutionsOfASample) {
  EXPECT_EQ(impossible_times(ten_of_20_ms, 2, 0.4), "");
  EXPECT_NE(impossible_times(ten_of_20_ms, 3, 0.4), "");
}

TEST(ClaimedTimes, MayBeOfAClockThatIsALittleOff) {
  EXPECT_EQ(impossible_times(ten_of_20_ms, 1, 0.196), "");
  EXPECT_EQ(impossible_times(std::vector<double>{9e6}, 1, 0), "");
  EXPECT_NE(impossible_times(std::vector<double>{11e6}, 1, 0), "");
}

TEST(ClaimedTimes, AreDoubtfulWhenDozensAreAlike) {
  std::vector<double> alike(60, 1234.5);
  EXPECT_EQ(doubtful_times(alike),
            "all 60 samples are exactly 1.23 us, which no clock says so often");
  alike[17] = 1234.6;
  EXPECT_EQ(doubtful_times(alike), "");
  EXPECT_EQ(doubtful_times(std::vector<double>(59, 1234.5)), "");
  EXPECT_EQ(doubtful_times({}), "");
}

TEST(ClaimedTimes, OfFakeDevicesAloneAreScripted) {
  record::Device device;
  device.model = "synthetic-fake";
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::emulated}) {
    device.kind = kind;
    EXPECT_FALSE(has_scripted_times(device)) << to_string(kind);
  }
  device.kind = DeviceKind::fake;
  EXPECT_TRUE(has_scripted_times(device));
}

}  // namespace claimed_times_test
}  // namespace ridgeline::run
