#include "harness/device/cpu/cpu_facts.hpp"

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/device/cpu/affinity.hpp"
#include "harness/device/cpu/cpu_files.hpp"
#include "harness/device/cpu/cpu_sensors.hpp"

namespace ridgeline::device::cpu {
namespace cpu_facts_test {

namespace fs = std::filesystem;

// A machine of two packages with two cores of two threads each, as Linux would describe it.
class SyntheticMachine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / fmt::format("ridgeline-machine-{}", ::getpid());
    fs::remove_all(root_);
    write("etc/machine-id", "0123456789abcdef0123456789abcdef");
    write("etc/os-release", "NAME=\"Synthetic\"\nPRETTY_NAME=\"Synthetic 1\"");
    write("proc/cpuinfo",
          "processor\t: 0\nmodel name\t: Synthetic(R) Chip 1+ CPU @ 2.00GHz\nmicrocode\t: 0x1\ncpu "
          "MHz\t\t: "
          "1234.5\nflags\t\t: fpu sse2\n");
    write("proc/meminfo", "MemTotal:       16300000 kB\nMemFree: 1 kB\nMemAvailable:   8000000 kB");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/", cpu);
      const std::string siblings = fmt::format("{},{}", cpu % 4, cpu % 4 + 4);
      write(folder + "topology/thread_siblings_list", siblings);
      cache(folder, 0, 1, "Data", "32K", siblings);
      cache(folder, 1, 1, "Instruction", "64K", siblings);
      cache(folder, 2, 2, "Unified", "1M", siblings);
      cache(folder, 3, 3, "Unified", "16384K", cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7");
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  void cache(const std::string& folder, int index, int level, const char* type, const char* size,
             const std::string& shared) {
    const std::string at = folder + fmt::format("cache/index{}/", index);
    write(at + "level", std::to_string(level));
    write(at + "type", type);
    write(at + "size", size);
    write(at + "shared_cpu_list", shared);
  }

  fs::path root_;
};

TEST_F(SyntheticMachine, TakesOneThreadACore) {
  EXPECT_EQ(one_a_core({0, 1, 2, 3, 4, 5, 6, 7}, root_), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(one_a_core({3, 6, 7}, root_), (std::vector<int>{3, 6}));
  EXPECT_EQ(one_a_core({5}, root_), (std::vector<int>{5}));
}

TEST_F(SyntheticMachine, ReadsWhatTheCoresInUseHave) {
  const Facts facts = read_facts({0, 1, 2, 3}, root_);
  EXPECT_EQ(facts.model, "cpu-synthetic-chip-1plus-4c");
  EXPECT_EQ(facts.name, "Synthetic Chip 1+");
  EXPECT_EQ(facts.units, 4);
  EXPECT_EQ(facts.l1, 32u << 10);
  EXPECT_EQ(facts.l2, 1u << 20);
  EXPECT_EQ(facts.last_level_cache, 32u << 20) << "two packages";
  EXPECT_EQ(facts.memory, 16300000ull << 10);
  EXPECT_EQ(facts.comparable.at("memory_gib"), "16");
  EXPECT_EQ(facts.comparable.count("governor"), 0u);
  EXPECT_EQ(facts.recorded.at("microcode"), "0x1");
  EXPECT_EQ(facts.recorded.at("operating_system"), "Synthetic 1");
  EXPECT_EQ(facts.recorded.at("virtual_machine"), "no");
  EXPECT_EQ(read_facts({0, 1}, root_).last_level_cache, 16u << 20) << "one package";
}

TEST_F(SyntheticMachine, HasAnIdentityThatIsStableAndHidesTheMachineId) {
  const std::string uuid = read_facts({0, 1}, root_).uuid;
  EXPECT_EQ(uuid, read_facts({0, 1, 2, 3}, root_).uuid)
      << "the same machine, whichever cores are used";
  EXPECT_EQ(uuid.size(), 20u);
  EXPECT_EQ(uuid.find("0123456789abcdef"), std::string::npos);
  write("etc/machine-id", "0123456789abcdef0123456789abcdee");
  EXPECT_NE(uuid, read_facts({0, 1}, root_).uuid);
}

TEST_F(SyntheticMachine, ReadsSensorsThatAreThere) {
  EXPECT_EQ(Sensors(1, root_).read().sm_clock_mhz, 1234.5);
  EXPECT_FALSE(Sensors(1, root_).read().temperature_c);
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3200000");
  write("sys/class/hwmon/hwmon0/name", "nvme");
  write("sys/class/hwmon/hwmon0/temp1_input", "99000");
  write("sys/class/hwmon/hwmon1/name", "k10temp");
  write("sys/class/hwmon/hwmon1/temp1_input", "45500");
  const Reading reading = Sensors(1, root_).read();
  EXPECT_EQ(reading.sm_clock_mhz, 3200);
  EXPECT_EQ(reading.temperature_c, 45.5);
}

TEST(CpuFacts, AnUndescribedMachineStillHasAName) {
  const Facts facts = read_facts({0}, "/nonexistent");
  EXPECT_EQ(facts.model.find("cpu-"), 0u);
  EXPECT_EQ(facts.units, 1);
  EXPECT_EQ(facts.last_level_cache, 0u);
  EXPECT_FALSE(Sensors(0, "/nonexistent").read().sm_clock_mhz);
}

TEST(CpuFiles, ParsesListsAndSizes) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("5-2"), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("1,x"), std::vector<int>{1});
  EXPECT_EQ(parse_cpu_list("0-99999999"), std::vector<int>{});
  EXPECT_EQ(parse_size("32K"), 32u << 10);
  EXPECT_EQ(parse_size("512"), 512u);
  EXPECT_EQ(parse_size("2M"), 2u << 20);
  EXPECT_EQ(parse_size("3 apples"), 0u);
  EXPECT_EQ(parse_size(""), 0u);
}

}  // namespace cpu_facts_test
}  // namespace ridgeline::device::cpu
