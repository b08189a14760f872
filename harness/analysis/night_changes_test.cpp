#include "harness/analysis/night_changes.hpp"

#include <gtest/gtest.h>

#include "harness/analysis/profile_changes.hpp"

namespace ridgeline::analysis {
namespace night_changes_test {

/// Two nights of a run each.
NightlyDevice two_nights() {
  NightlyDevice device;
  device.runs.resize(2);
  device.nights = {{"2026-01-01", 1, {0}}, {"2026-01-02", 2, {1}}};
  for (store::StoredRun& run : device.runs) run.run.profile = "nightly";
  return device;
}

TEST(NightChanges, AreOfTheMethodTheMachineAndTheToolkit) {
  NightlyDevice device = two_nights();
  device.runs[0].environment.recorded = {
      {"driver", "580"}, {"load_average", "1.0"}, {"cudnn", "9.1"}};
  device.runs[1].environment.recorded = {
      {"driver", "590"}, {"load_average", "9.0"}, {"cudnn", "9.2"}};
  device.runs[0].builds = {{"ridgeline-suites", "aaaa", false, "g++ 12", "", "", "c0de"}};
  device.runs[1].builds = {{"ridgeline-suites", "bbbb", false, "g++ 13", "", "", "c0de"}};
  device.runs[1].run.profile = "full";
  const NightlyTimes times{"", {0, 1}, {100, 200}};
  const NightChanges found = changes_between(device, &times, 0, 1);
  EXPECT_EQ(found.environment,
            (std::vector<std::string>{"profile nightly -> full", "driver 580 -> 590",
                                      "compiler of ridgeline-suites g++ 12 -> g++ 13",
                                      "cudnn 9.1 -> 9.2"}));
  EXPECT_EQ(found.areas,
            (std::vector<Area>{Area::method, Area::machine, Area::toolkit, Area::toolkit}));
  EXPECT_TRUE(found.commit_changed());
  EXPECT_EQ(found.before_code, found.after_code);
  EXPECT_EQ(changes_between(device, nullptr, 0, 1).environment,
            (std::vector<std::string>{"compiler of ridgeline-suites g++ 12 -> g++ 13",
                                      "cudnn 9.1 -> 9.2"}))
      << "counts are exact whatever the profile and the driver";
}

TEST(NightChanges, AreOfTheWorkersThatMeasuredTheCase) {
  NightlyDevice device = two_nights();
  const record::Build suites{"ridgeline-suites", "aaaa", false, "g++ 12", "", "", "c0dec0de"};
  device.runs[0].builds = {{"ridgeline-collectives", "aaaa", false, "g++ 12", "", "", "11111111"},
                           suites};
  device.runs[1].builds = {{"ridgeline-collectives", "bbbb", false, "g++ 13", "", "", "22222222"},
                           suites};
  const NightChanges all = changes_between(device, nullptr, 0, 1);
  EXPECT_NE(all.before_code, all.after_code);
  NightChanges own = all, others = all;
  keep_workers(own, device.runs[0], device.runs[1], {"ridgeline-suites"});
  EXPECT_EQ(own.before_code, "ridgeline-suites c0dec0de");
  EXPECT_EQ(own.before_code, own.after_code);
  EXPECT_FALSE(own.commit_changed());
  EXPECT_TRUE(own.environment.empty()) << own.environment.front();
  keep_workers(others, device.runs[0], device.runs[1], {"ridgeline-collectives"});
  EXPECT_EQ(others.before_commit, "aaaa");
  EXPECT_EQ(others.after_commit, "bbbb");
  EXPECT_EQ(others.after_code, "ridgeline-collectives 22222222");
  EXPECT_EQ(others.environment,
            std::vector<std::string>{"compiler of ridgeline-collectives g++ 12 -> g++ 13"});
}

TEST(NightChanges, AreThoseOfTheSeriesOwnEnvironment) {
  NightlyDevice device = two_nights();
  device.runs.resize(4);
  device.nights = {{"2026-01-01", 1, {0, 1}}, {"2026-01-02", 2, {2, 3}}};
  for (std::size_t i = 0; i < 4; ++i) {
    device.runs[i].environment.hash = i % 2 == 0 ? "e1" : "e2";
    device.runs[i].environment.comparable["power_limit_w"] = i % 2 == 0 ? "300" : "250";
    device.runs[i].environment.recorded["host"] = i % 2 == 0 ? "here" : "there";
    device.runs[i].run.id = std::to_string(i);
    device.runs[i].run.profile = "nightly";
  }
  for (const std::size_t own : {0, 1}) {
    const NightlyTimes times{device.runs[own].environment.hash, {0, 1}, {100, 200}};
    const NightChanges found = changes_between(device, &times, 0, 1);
    EXPECT_TRUE(found.environment.empty()) << found.environment.front();
    EXPECT_EQ(found.before_run, std::to_string(own));
    EXPECT_EQ(found.after_run, std::to_string(own + 2));
  }
  EXPECT_TRUE(changes_between(device, nullptr, 0, 1).environment.empty());
}

/// A device of one run a night, on which a fact has these values, and a series with these times,
/// of which the change is told on night `after`.
NightChanges told(const std::vector<std::string>& values, const std::vector<double>& ns,
                  std::size_t after) {
  NightlyDevice device;
  NightlyTimes times;
  for (std::uint32_t night = 0; night < values.size(); ++night) {
    device.nights.push_back({"", night, {night}});
    device.runs.emplace_back().environment.recorded["cpus"] = values[night];
    times.nights.push_back(night);
    times.median_ns.push_back(ns[night]);
  }
  return changes_between(device, &times, after - 1, after,
                         KnownChange{after, ns[after - 1], ns[after]});
}

TEST(NightChanges, AreToldTheSameWayWhateverComesLater) {
  std::vector<std::string> values(40, "2");
  values.resize(50, "4");
  std::vector<double> ns(40, 100);
  ns.resize(50, 60);
  EXPECT_EQ(told(values, ns, 40).environment, std::vector<std::string>{"cpus 2 -> 4"});
  for (int i = 0; i < 700; ++i) {
    values.push_back(std::to_string(i % 5));
    ns.push_back(60);
  }
  EXPECT_EQ(told(values, ns, 40).environment, std::vector<std::string>{"cpus 2 -> 4"})
      << "the nights after do not count";
}

TEST(NightChanges, LeaveOutFactsThatHadNoEffectBefore) {
  std::vector<std::string> restless, switching;
  std::vector<double> ns, two_modes;
  for (int i = 0; i < 40; ++i) {
    restless.push_back(std::to_string(900 + i * 37 % 101));
    switching.push_back(i % 3 == 0 ? "4" : "2");
    ns.push_back(i < 39 ? 100 : 60);
    two_modes.push_back(switching.back() == "4" ? 60 : 100);
  }
  EXPECT_TRUE(told(restless, ns, 39).environment.empty());
  EXPECT_TRUE(told(switching, ns, 39).environment.empty()) << "4 was as slow as 2";
  EXPECT_EQ(told(switching, two_modes, 39).environment, std::vector<std::string>{"cpus 2 -> 4"})
      << "4 was always faster";
}

TEST(NightChanges, AreOfTwoMachinesWhateverAThirdIsLike) {
  std::vector<std::string> machines;
  std::vector<double> ns;
  for (int night = 0; night < 40; ++night) {
    const int machine = night / 5 % 3;
    machines.push_back("ABC"[machine] + std::string("0"));
    ns.push_back(machine == 0 ? 100 : machine == 1 ? 60 : 62);
  }
  for (const std::size_t to_b : {20, 35})
    EXPECT_EQ(told(machines, ns, to_b).environment, std::vector<std::string>{"cpus A0 -> B0"})
        << "that C is as fast as B excuses neither";
  std::vector<double> others = ns;
  for (std::size_t night = 0; night < others.size(); ++night)
    if (machines[night] == "B0" && night != 35) others[night] = 100;
  EXPECT_TRUE(told(machines, others, 35).environment.empty()) << "B was as slow as A";
}

TEST(NightChanges, LeaveOutNoRestlessMachineThatToldTheTimesApart) {
  const std::vector<int> stays = {3, 4, 5, 3,
                                  4, 5, 2, 5};  // machine after machine, some nights each
  std::vector<std::string> machines, readings;
  std::vector<double> ns, few;
  for (std::size_t stay = 0; stay < stays.size(); ++stay)
    for (int night = 0; night < 4; ++night) {
      machines.push_back("host" + std::to_string(stays[stay]));
      readings.push_back(std::to_string(night));
      ns.push_back(100 + 10 * stays[stay]);
      few.push_back(stay == 7 ? 150 : 100 + 10 * (night % 2));
    }
  EXPECT_EQ(told(machines, ns, 28).environment, std::vector<std::string>{"cpus host2 -> host5"});
  EXPECT_TRUE(told(machines, few, 28).environment.empty()) << "host5 was no slower than host2";
  EXPECT_TRUE(told(readings, ns, 28).environment.empty());
  for (const std::size_t night : {8, 9, 10, 11, 20, 21}) machines[night] = "host8";
  EXPECT_TRUE(told(machines, ns, 28).environment.empty()) << "two nights may be chance";
}

TEST(NightChanges, PreferWhatSwitchedOnTheLikelyNight) {
  NightChanges wide, likely;
  wide.before_commit = "aaaa";
  wide.add(Area::method, "profile nightly -> full");
  for (const char* words : {"driver 1 -> 2", "host B -> C"}) wide.add(Area::machine, words);
  wide.facts = {{"driver", "1", "2", "driver 1 -> 2"}, {"host", "B", "C", "host B -> C"}};
  wide.add(Area::toolkit, "cudnn 9.1 -> 9.2");
  likely.before_commit = "bbbb";
  likely.add(Area::machine, "host A -> C");
  likely.facts = {{"host", "A", "C", "host A -> C", true}};
  likely.add(Area::toolkit, "cudnn 9.1 -> 9.2");
  wide.prefer(likely);
  EXPECT_EQ(wide.environment, (std::vector<std::string>{"profile nightly -> full", "host A -> C",
                                                        "driver 1 -> 2", "cudnn 9.1 -> 9.2"}));
  EXPECT_EQ(wide.areas,
            (std::vector<Area>{Area::method, Area::machine, Area::machine, Area::toolkit}));
  ASSERT_EQ(wide.facts.size(), 2u);
  EXPECT_TRUE(wide.facts[0].told_apart);
  EXPECT_EQ(wide.facts[1].key, "driver");
  EXPECT_EQ(wide.before_commit, "aaaa") << "the commits are those around all possible nights";
}

TEST(ProfileChanges, AreOfHowAndNotOfWhatIsMeasured) {
  record::Run before, after;
  before.profile = after.profile = "nightly";
  before.profile_text =
      "description = 'a # b'\nprocesses = 10\n[sampling]\ntarget = 0.01 # tight\n[cpu]\n"
      "cases = [\n  \"gemm\",\n]\n";
  after.profile_text =
      "description = 'c'\nprocesses = 10\n[sampling]\ntarget = 0.01\n[cpu]\n"
      "cases = [\n  \"gemm\", # and\n  \"copy\",\n]\n";
  EXPECT_TRUE(profile_changes(before, after).empty()) << profile_changes(before, after).front();
  before.profile_text += "[sampling]\nunstable = 0.05\n";
  after.profile_text = "budget = '2h'\ncase_timeout = '2m'\n" + after.profile_text;
  EXPECT_TRUE(profile_changes(before, after).empty()) << "no median is another by that";
  after.profile_text =
      "processes = 5\n[sampling]\ntarget = 0.02\nwarmup = \"1s\"\n[cpu]\ncases = []\n";
  EXPECT_EQ(profile_changes(before, after),
            (std::vector<std::string>{"processes of profile nightly 10 -> 5",
                                      "sampling.target of profile nightly 0.01 -> 0.02",
                                      "sampling.warmup of profile nightly nothing -> \"1s\""}));
  const std::string many(200, '1');
  before.profile_text = "seeds = " + many + "1";
  after.profile_text = "seeds = " + many + "2";
  EXPECT_EQ(profile_changes(before, after).size(), 1u) << "whatever of it is printed";
  for (const char* odd : {"[", "=", "]]]]\n=", "a = [\n", "'", "[x\ny"}) {
    after.profile_text = odd;
    profile_changes(before, after);
  }
}

}  // namespace night_changes_test
}  // namespace ridgeline::analysis
