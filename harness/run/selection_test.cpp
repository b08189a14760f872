#include "harness/run/selection.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace selection_test {

record::Case make_case(const std::string& suite, const std::string& variant, const std::string& n,
                       DeviceKind kind = DeviceKind::fake) {
  record::Case info;
  info.id = {suite, variant, "f32", {{"n", n}}, {}};
  info.device_kind = kind;
  return info;
}

class Select : public testing::Test {
 protected:
  void SetUp() override {
    device.id = "fake";
    device.kind = DeviceKind::fake;
    Worker suites;
    suites.name = "suites";
    suites.devices.devices = {device};
    for (const char* variant : {"naive", "tiled"})
      for (const char* n : {"16", "32"}) suites.cases.push_back(make_case("sort", variant, n));
    suites.cases.push_back(make_case("scan", "naive", "16", DeviceKind::cuda));
    Worker missing;
    missing.name = "missing";
    missing.unavailable = "not installed";
    missing.cases = {record::Case{}};
    missing.cases[0].id = {"collect", "mpi", "f32", {}, {}};
    missing.cases[0].device_kind = DeviceKind::fake;
    Worker elsewhere;
    elsewhere.name = "elsewhere";
    elsewhere.cases = {make_case("remote", "naive", "16")};
    workers = {suites, missing, elsewhere};
    home = std::filesystem::temp_directory_path() /
           ("ridgeline-selection-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(home / "suites" / "profiles");
    write("small", {"sort/*/n=16"});
    write("large", {"sort"});
  }
  void TearDown() override { std::filesystem::remove_all(home); }

  void write(const std::string& name, const std::vector<std::string>& patterns) {
    std::ofstream file(home / "suites" / "profiles" / (name + ".toml"));
    file << "description = \"\"\nprocesses = 1\nbudget = \"1s\"\ncase_timeout = "
            "\"1s\"\n[fake]\ncases = [\n";
    for (const std::string& pattern : patterns) file << "  \"" << pattern << "\",\n";
    file << "]\n";
  }

  std::vector<std::string> names(const std::string& profile,
                                 const std::vector<std::string>& patterns,
                                 Workers which = Workers::all) {
    std::vector<std::string> names;
    for (const Selected& each :
         select(workers, device, load_profile(profile, home), patterns, home, which))
      names.push_back(each.unavailable.empty() ? each.name
                                               : each.name + " (" + each.unavailable + ")");
    return names;
  }

  /// The error's text and advice.
  std::string failure(const std::string& profile, const std::vector<std::string>& patterns) {
    try {
      names(profile, patterns);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what()) + " | " + error.advice();
    }
    return "no error";
  }

  record::Device device;
  std::vector<Worker> workers;
  std::filesystem::path home;
};

using Names = std::vector<std::string>;

TEST_F(Select, MeasuresADeviceWithoutTimesOnlyWhereItIsNamed) {
  EXPECT_THROW(choose_device(workers, ""), Error) << "the only device is fake";
  EXPECT_EQ(choose_device(workers, "fake").id, "fake");
  record::Device cpu = device;
  cpu.id = "cpu";
  cpu.kind = DeviceKind::cpu;
  workers[0].devices.devices = {device, cpu};
  EXPECT_EQ(choose_device(workers, "").id, "cpu");
}

TEST_F(Select, SaysWhyThereIsNoDeviceOfAKind) {
  EXPECT_EQ(why_unavailable(workers, "cuda"), "");
  workers[0].devices.unavailable = {{"cuda", "no driver"}, {"cuda", "another reason"}};
  EXPECT_EQ(why_unavailable(workers, "cuda"), "no driver");
  EXPECT_EQ(why_unavailable(workers, "cpu"), "");
  record::Device gpu;
  gpu.kind = DeviceKind::cuda;
  workers[0].devices.devices.push_back(gpu);
  EXPECT_EQ(why_unavailable(workers, "cuda"), "") << "there is another one";
}

TEST_F(Select, KnowsWhatItPassesOverBecauseAnotherDeviceWouldMeasureIt) {
  record::Device gpu;
  gpu.kind = DeviceKind::cuda;
  gpu.id = "cuda:0";
  workers[0].cases.push_back(make_case("scan", "tiled", "16", DeviceKind::cuda));
  workers[0].cases.push_back(make_case("scan", "tiled", "32", DeviceKind::cuda));
  Profile profile = load_profile("small", home);
  const auto others = [&](const std::vector<std::string>& patterns = {}) {
    std::vector<std::string> found;
    for (const ForOtherDevice& other : for_other_devices(workers, device, profile, patterns))
      found.push_back(other.device.id + " " + std::to_string(other.cases));
    return found;
  };
  profile.cases[DeviceKind::cuda] = {{"scan/*/n=16", 1, false}};
  EXPECT_EQ(others(), Names{}) << "there is no such device";
  workers[0].devices.devices.push_back(gpu);
  EXPECT_EQ(others(), Names{"cuda:0 2"});
  EXPECT_EQ(others({"scan/tiled"}), Names{"cuda:0 1"});
  EXPECT_EQ(others({"scan/tiled/f32/n=32"}), Names{"cuda:0 1"}) << "which is named in full";
  EXPECT_EQ(others({"sort"}), Names{});
  profile.cases.erase(DeviceKind::cuda);
  EXPECT_EQ(others(), Names{}) << "the profile leaves them out";
  profile.cases[DeviceKind::fake] = {{"transform", 1, false}};
  EXPECT_EQ(others(), Names{"cuda:0 3"}) << "of workers that the profile knows nothing of";
}

TEST_F(Select, KnowsBeforeWhatAPatternWouldChoose) {
  const Profile profile = load_profile("small", home);
  const auto any = [&](const std::string& pattern, Workers which = Workers::all) {
    return chooses(workers, device, profile, pattern, which);
  };
  EXPECT_TRUE(any("sort/tiled"));
  EXPECT_FALSE(any("sort/*/n=32")) << "which the profile leaves out";
  EXPECT_TRUE(any("sort/tiled/f32/n=32")) << "which is named in full";
  EXPECT_FALSE(any("scan")) << "which is for another kind of device";
  EXPECT_FALSE(any("nothing"));
  write("others", {"transform"});
  EXPECT_TRUE(chooses(workers, device, load_profile("others", home), "sort/*/n=32", Workers::some))
      << "of workers that the profile knows nothing of";
}

TEST_F(Select, TakesEveryCaseOfWorkersThatTheProfileKnowsNothingOf) {
  write("others", {"transform/*", "!transform/naive"});
  const Names tiled{"sort/tiled/f32/n=16", "sort/tiled/f32/n=32"};
  EXPECT_EQ(names("others", {"sort/tiled"}, Workers::some), tiled);
  EXPECT_EQ(names("others", {}, Workers::some).size(), 6);
  // One that it does know keeps it from being guessed at.
  EXPECT_THROW(names("small", {"sort/*/n=32"}, Workers::some), Error);
}

TEST_F(Select, TakesTheProfileAndNarrowsItByPatterns) {
  EXPECT_EQ(names("small", {}), (Names{"sort/naive/f32/n=16", "sort/tiled/f32/n=16"}));
  EXPECT_EQ(names("large", {"sort/tiled"}), (Names{"sort/tiled/f32/n=16", "sort/tiled/f32/n=32"}));
  EXPECT_EQ(names("large", {"*naive*n=32", "sort/tiled/*=16"}),
            (Names{"sort/naive/f32/n=32", "sort/tiled/f32/n=16"}));
}

TEST_F(Select, LeavesOutWhatAProfileTakesAway) {
  write("most", {"sort", "!sort/naive/*=32", "collect"});
  EXPECT_EQ(names("most", {}), (Names{"sort/naive/f32/n=16", "sort/tiled/f32/n=16",
                                      "sort/tiled/f32/n=32", "collect/mpi/f32 (not installed)"}));
  EXPECT_EQ(names("most", {"sort/naive"}), (Names{"sort/naive/f32/n=16"}));
  write("below", {"sort", "!*/naive"});
  EXPECT_EQ(names("below", {}), (Names{"sort/tiled/f32/n=16", "sort/tiled/f32/n=32"}));
  write("typo", {"sort", "!sort/naiv/*"});
  EXPECT_NE(failure("typo", {}).find("typo.toml:8: no case matches \"sort/naiv/*\""),
            std::string::npos)
      << failure("typo", {});
}

TEST_F(Select, MeasuresAFullNameWhateverTheProfileSays) {
  EXPECT_EQ(names("small", {"sort/naive/f32/n=32"}), (Names{"sort/naive/f32/n=32"}));
}

TEST_F(Select, NamesTheProfilesThatHaveWhatThisOneLeavesOut) {
  EXPECT_EQ(failure("small", {"sort/*/n=32"}),
            "\"sort/*/n=32\" matches 2 cases, but the profile small leaves them all out | choose "
            "--profile large; a "
            "case's full name is always measured: sort/naive/f32/n=32");
}

TEST_F(Select, RefusesWhatMatchesNothingWithTheNearestName) {
  EXPECT_EQ(failure("small", {"srt"}),
            "no case matches \"srt\" | did you mean sort? ridgeline list shows all cases");
  EXPECT_EQ(failure("small", {"sort/tild/f32/n=16"}),
            "no case matches \"sort/tild/f32/n=16\" | did you mean sort/tiled/f32/n=16? ridgeline "
            "list shows all cases");
  EXPECT_EQ(failure("small", {"scan"}),
            "\"scan\" matches no case for fake, only for cuda | choose the device with --device");
  write("typo", {"sort", "srt"});
  EXPECT_EQ(failure("typo", {}),
            (home / "suites/profiles/typo.toml").string() +
                ":8: no case matches \"srt\" | did you mean sort? ridgeline list shows all cases");
}

TEST_F(Select, KeepsUnavailableSuitesWithTheirReason) {
  for (const char* pattern :
       {"collect", "collect/mpi/*/op=x,n=2", "c*/f32/*", "collect/mpi/f32/op=x"}) {
    write("parallel", {pattern});
    EXPECT_EQ(names("parallel", {}), (Names{"collect/mpi/f32 (not installed)"})) << pattern;
  }
  write("parallel", {"collect/nccl/*"});
  EXPECT_TRUE(failure("parallel", {}).find("no case matches") != std::string::npos);
  write("remote", {"remote"});
  EXPECT_EQ(names("remote", {}), (Names{"remote/naive/f32/n=16 (elsewhere does not serve fake)"}));
}

TEST_F(Select, RefusesACaseThatTwoWorkersList) {
  workers[2].cases = {make_case("sort", "naive", "16")};
  EXPECT_NE(failure("small", {}).find("two workers list the case sort/naive/f32/n=16"),
            std::string::npos);
}

TEST_F(Select, TheProfileAloneHasWhatIsSelectedFromIt) {
  write("less", {"sort", "!sort/tiled", "!*/n=32"});
  const Profile less = load_profile("less", home);
  Names has_alone;
  for (const record::Case& info : workers[0].cases)
    if (has(less, info)) has_alone.push_back(record::name(info.id));
  EXPECT_EQ(has_alone, (Names{"sort/naive/f32/n=16"}));
  EXPECT_EQ(has_alone, names("less", {}));
}

TEST_F(Select, SuitesOfOthersThatAProfileDoesNotKnowRunUnderAnyProfile) {
  Worker others;
  others.name = "mine.py";
  others.of_others = true;
  others.devices.devices = {device};
  others.cases = {make_case("mine", "fast", "16"), make_case("mine", "fast", "32")};
  workers.push_back(others);
  EXPECT_EQ(names("small", {"mine"}), (Names{"mine/fast/f32/n=16", "mine/fast/f32/n=32"}));
  EXPECT_EQ(names("small", {}), (Names{"sort/naive/f32/n=16", "sort/tiled/f32/n=16",
                                       "mine/fast/f32/n=16", "mine/fast/f32/n=32"}));
  write("taking", {"sort", "!mine/*/n=32"});
  EXPECT_EQ(names("taking", {"mine"}), Names{"mine/fast/f32/n=16"});
  write("knowing", {"mine/fast/f32/n=32"});
  EXPECT_EQ(names("knowing", {"mine"}), Names{"mine/fast/f32/n=32"});
}

TEST_F(Select, SuitesOfOthersNeedNoSectionOfTheProfile) {
  device.kind = DeviceKind::cpu;
  Worker others;
  others.name = "mine.py";
  others.devices.devices = {device};
  others.cases = {make_case("mine", "fast", "16", DeviceKind::cpu)};
  workers.push_back(others);
  EXPECT_NE(failure("small", {}).find("no section [cpu]"), std::string::npos);
  workers.back().of_others = true;
  EXPECT_EQ(names("small", {}), Names{"mine/fast/f32/n=16"});
}

}  // namespace selection_test
}  // namespace ridgeline::run
