#include "harness/device/nvml/neighbours.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/device/nvml/throttle.hpp"

namespace ridgeline::device::nvml {
namespace neighbours_test {

// init(1) - shell(10) - ridgeline(20) - { worker(30) - child(40), worker(31) }; shell also started
// training(50); 60 is elsewhere.
Kin kin(pid_t pid) {
  static const std::map<pid_t, Kin> processes{
      {10, {1, false}},  {20, {10, true}},  {30, {20, true}}, {31, {20, true}},
      {40, {30, false}}, {50, {10, false}}, {60, {1, false}}};
  const auto found = processes.find(pid);
  return found == processes.end() ? Kin{} : found->second;
}

std::optional<int> neighbours(const std::vector<pid_t>& on_gpu, pid_t self) {
  return count_neighbours(on_gpu, self, kin);
}

TEST(Neighbours, AreNotOfOurOwnFamily) {
  EXPECT_EQ(neighbours({30}, 30), 0);
  EXPECT_EQ(neighbours({30, 40}, 30), 0) << "a child";
  EXPECT_EQ(neighbours({30, 31}, 30), 0) << "the other side of a comparison";
  EXPECT_EQ(neighbours({30, 50}, 30), 1) << "started from the same shell, but not by us";
  EXPECT_EQ(neighbours({30, 31, 50, 60, 99}, 30), 3);
}

TEST(Neighbours, OfAWorkerThatRunsAloneIncludeEverybodyElse) {
  EXPECT_EQ(neighbours({50, 60}, 50), 1);
  EXPECT_EQ(neighbours({50, 30}, 50), 1);
}

TEST(Neighbours, CannotBeToldApartInAnotherNamespace) {
  EXPECT_EQ(neighbours({}, 30), 0);
  EXPECT_EQ(neighbours({4711}, 30), 0) << "must be us under another number";
  EXPECT_FALSE(neighbours({4711, 4712}, 30));
}

TEST(Neighbours, EndAtALoopOfParents) {
  const auto loop = [](pid_t pid) { return Kin{pid == 7 ? 8 : 7, false}; };
  EXPECT_EQ(count_neighbours(std::vector<pid_t>{7, 9}, 7, loop), 0);
}

TEST(Neighbours, KinIsReadFromProc) {
  EXPECT_EQ(read_kin(getpid()).parent, getppid());
  EXPECT_EQ(read_kin(-1).parent, 0);
}

TEST(Throttle, NamesReasonsAndTellsHardwareFromSettings) {
  struct Row {
    std::uint64_t mask;
    const char* reasons;
    bool by_hardware;
  };
  const Row rows[] = {
      {0, "", false},
      {0x1, "gpu_idle", false},
      {0x4, "sw_power_cap", false},
      {0x2 | 0x4, "applications_clocks_setting,sw_power_cap", false},
      {0x8, "hw_slowdown", true},
      {0x20, "sw_thermal_slowdown", true},
      {0x4 | 0x48, "sw_power_cap,hw_slowdown,hw_thermal_slowdown", true},
      {0x80, "hw_power_brake_slowdown", true},
      {0x4000, "unknown_0x4000", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(read_throttle(row.mask).reasons, row.reasons);
    EXPECT_EQ(read_throttle(row.mask).by_hardware, row.by_hardware) << row.reasons;
  }
}

}  // namespace neighbours_test
}  // namespace ridgeline::device::nvml
