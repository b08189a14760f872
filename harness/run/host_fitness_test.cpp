// On made-up trees of /sys and /proc.

#include "harness/run/host_fitness.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/store/temporary_folder.hpp"

namespace ridgeline::run {
namespace host_fitness_test {

using Levels = std::map<std::string, Level>;

Levels levels_of(const Findings& findings) {
  Levels levels;
  for (const Finding& each : findings) levels[each.check] = each.level;
  return levels;
}

class HostFitness : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// The only hierarchy is that of cgroup v2, and the process is in that group of it.
  void put_second(const std::string& group) const {
    put("proc/self/cgroup", "0::" + group + "\n");
    put("proc/self/mountinfo", "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n");
  }
  /// The finding of that name.
  Finding look(const std::string& check, bool measures_cpu = true) const {
    HostQuestion question;
    question.measures_cpu = measures_cpu;
    question.results = root / "results";
    question.watched_s = 0;
    question.root = root.path();
    Findings all = look_at_room(question);
    for (Finding& each : look_at_processors(question)) all.push_back(each);
    for (const Finding& each : all)
      if (each.check == check) return each;
    throw std::runtime_error("no finding is called " + check);
  }
  Level level(const std::string& check, bool measures_cpu = true) const {
    return look(check, measures_cpu).level;
  }

  store::TemporaryFolder root;
};

TEST_F(HostFitness, WhatCannotBeReadIsUnknownAndNeverFine) {
  for (const char* check :
       {"memory", "processor load", "governor", "turbo", "SMT", "clock source", "shared memory"}) {
    const Finding found = look(check);
    EXPECT_EQ(found.level, Level::unknown) << check;
    EXPECT_FALSE(found.advice.empty()) << check;
    EXPECT_FALSE(found.source.empty()) << check;
    EXPECT_FALSE(found.why.empty()) << check;
  }
}

TEST_F(HostFitness, ADiskWithTooLittleRoomIsFoundAlthoughTheFolderIsNotThereYet) {
  HostQuestion question;
  question.results = root / "not" / "yet";
  question.root = root.path();
  question.disk_free = 1e18;
  const Finding small = look_at_room(question).front();
  EXPECT_EQ(small.level, Level::unfit);
  EXPECT_NE(small.seen.find("888 PiB are asked for"), std::string::npos) << small.seen;
  question.disk_free = 1;
  EXPECT_EQ(look_at_room(question).front().level, Level::fine);
}

TEST_F(HostFitness, MemoryIsWhatTheMachineAndTheContainerLeave) {
  put("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable:    8000000 kB\n");
  EXPECT_EQ(level("memory"), Level::fine);
  put_second("/a/b");
  put("sys/fs/cgroup/a/memory.max", "4294967296\n");
  put("sys/fs/cgroup/a/memory.current", "3221225472\n");
  const Finding found = look("memory");
  EXPECT_EQ(found.level, Level::unfit);
  EXPECT_EQ(found.seen, "1 GiB available within the container's 4 GiB");
  put("sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(level("memory"), Level::fine);
  put("proc/meminfo", "MemAvailable:    2000000 kB\n");
  EXPECT_EQ(level("memory"), Level::unfit);
}

TEST_F(HostFitness, AQuotaBelowTheProcessorsIsFoundInAnyGroupAbove) {
  put_second("/a/b");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(look("processor quota").seen, "no cgroup sets one");
  put("sys/fs/cgroup/a/cpu.max", "409600000 100000\n");
  EXPECT_EQ(level("processor quota"), Level::fine);
  put("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(level("processor quota"), Level::unfit);
  EXPECT_EQ(level("processor quota", false), Level::note);
  EXPECT_TRUE(look("processor quota").seen.starts_with("0.50 processors' time for "));
  put_second("/../../elsewhere");  // of a namespace that begins further down
  EXPECT_EQ(level("processor quota"), Level::unfit);
  put("sys/fs/cgroup/cpu.max", "nonsense\n");
  EXPECT_EQ(level("processor quota"), Level::fine);
}

TEST_F(HostFitness, GovernorsThatRaiseClocksLateAreNoted) {
  const std::string cpus = "sys/devices/system/cpu/";
  put(cpus + "cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(level("governor"), Level::fine);
  put(cpus + "cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(level("governor"), Level::note);
  EXPECT_EQ(look("governor").seen, "performance, powersave");
}

TEST_F(HostFitness, TurboAndSmtMatterWhereACpuIsMeasured) {
  const std::string cpus = "sys/devices/system/cpu/";
  put(cpus + "intel_pstate/no_turbo", "0\n");
  put(cpus + "smt/active", "1\n");
  for (const char* check : {"turbo", "SMT"}) {
    EXPECT_EQ(level(check), Level::note) << check;
    EXPECT_EQ(level(check, false), Level::fine) << check;
  }
  put(cpus + "intel_pstate/no_turbo", "1\n");
  put(cpus + "smt/active", "0\n");
  EXPECT_EQ(look("turbo").seen, "off");
  EXPECT_EQ(look("SMT").seen, "off");
  std::filesystem::remove(root / (cpus + "intel_pstate/no_turbo"));
  put(cpus + "cpufreq/boost", "1\n");
  EXPECT_EQ(level("turbo"), Level::note);
}

TEST_F(HostFitness, AClockThatAsksAChipIsNoted) {
  const std::string file = "sys/devices/system/clocksource/clocksource0/current_clocksource";
  for (const char* quick : {"tsc", "kvm-clock", "arch_sys_counter"}) {
    put(file, quick);
    EXPECT_EQ(level("clock source"), Level::fine) << quick;
  }
  put(file, "hpet\n");
  EXPECT_EQ(level("clock source"), Level::note);
}

/// A share of 16 processors that others use, and one that goes elsewhere.
Levels judged(bool measures_cpu, double busy, double stolen) {
  return levels_of(judge_processors(measures_cpu, {{busy, stolen, 16}, "1.00", {}}));
}

TEST(ProcessorFitness, ACpuNeedsAllProcessorsAndAGpuOne) {
  const Levels quiet{{"processor load", Level::fine}, {"stolen time", Level::fine}};
  Levels loaded = quiet, stolen = quiet, noted = quiet, noted_stolen = quiet;
  loaded["processor load"] = stolen["stolen time"] = Level::unfit;
  noted["processor load"] = noted_stolen["stolen time"] = Level::note;
  EXPECT_EQ(judged(true, 0.10, 0), quiet);
  EXPECT_EQ(judged(true, 0.11, 0), loaded);
  EXPECT_EQ(judged(true, 0, 0.03), stolen);
  EXPECT_EQ(judged(false, 0.11, 0), quiet);
  EXPECT_EQ(judged(false, 0.60, 0), noted);
  EXPECT_EQ(judged(false, 0.95, 0), loaded);
  EXPECT_EQ(judged(false, 0, 0.03), noted_stolen);
}

TEST(ProcessorFitness, WhoUsesThemIsNamed) {
  const Finding found =
      judge_processors(true, {{0.5, 0, 4},
                              "2.00",
                              {{"cc1plus (pid 7)", 0.9}, {"sh (pid 8)", 0.01}, {"ld (pid 9)", 1}}})
          .front();
  EXPECT_EQ(found.seen,
            "2.0 of 4 processors busy; load average 2.00; most by ld (pid 9) 1.0, cc1plus (pid 7) "
            "0.9");
}

TEST(ProcessorFitness, ThisMachineIsRead) {
  HostQuestion question;
  question.results = "/";
  question.watched_s = 0.2;
  for (const Finding& each : look_at_processors(question)) {
    if (each.check != "processor load") continue;
    EXPECT_NE(each.level, Level::unknown) << each.seen;
    EXPECT_NE(each.seen.find("load average"), std::string::npos) << each.seen;
  }
}

}  // namespace host_fitness_test
}  // namespace ridgeline::run
