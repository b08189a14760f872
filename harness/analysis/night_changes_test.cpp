#include "harness/analysis/night_changes.hpp"

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace {

/// Two nights of a run each.
NightlyDevice two_nights() {
  NightlyDevice device;
  device.runs.resize(2);
  device.nights = {{"2026-01-01", 1, {0}}, {"2026-01-02", 2, {1}}};
  for (store::StoredRun& run : device.runs) run.run.profile = "nightly";
  return device;
}

TEST(NightChanges, LeavesOutFactsThatAreRestlessAndNothingElse) {
  NightlyDevice device = two_nights();
  device.runs[0].environment.recorded = {
      {"driver", "580"}, {"profile", "powersave"}, {"clock source", "tsc"}};
  device.runs[1].environment.recorded = {
      {"driver", "590"}, {"profile", "performance"}, {"clock source", "hpet"}};
  device.runs[1].run.profile = "full";
  EXPECT_EQ(changes_between(device, {"profile", "clock source"}, 0, 1).environment,
            (std::vector<std::string>{"driver 580 -> 590", "profile nightly -> full"}));
}

}  // namespace
}  // namespace ridgeline::analysis
