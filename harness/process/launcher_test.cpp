#include "harness/process/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::process {
namespace launcher_test {

namespace fs = std::filesystem;

/// A PATH with launchers that do nothing, and no allocation around.
class Launchers : public testing::Test {
 protected:
  Launchers() {
    std::string name = (fs::temp_directory_path() / "launcher-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    for (const std::string& program : launchers) {
      std::ofstream(folder_ / program) << "#!/bin/sh\n";
      fs::permissions(folder_ / program, fs::perms::owner_all);
    }
    std::ofstream(folder_ / "hosts") << "node1 slots=4\n";
    setenv("PATH", folder_.c_str(), 1);
    for (const char* name : {"SLURM_JOB_ID", "OMPI_MCA_orte_default_hostfile"}) unsetenv(name);
  }
  ~Launchers() override {
    setenv("PATH", before_.c_str(), 1);
    for (const char* name : {"SLURM_JOB_ID", "NCCL_NVLS_ENABLE"}) unsetenv(name);
    fs::remove_all(folder_);
  }

  Command command(const Launcher& launcher, int ranks = 3) {
    Command made = launch_command(launcher, ranks, "/worker", reception_);
    for (const fs::path& scratch : made.scratch) fs::remove_all(scratch);
    return made;
  }
  static bool has(const Command& command, std::initializer_list<std::string> row) {
    return !std::ranges::search(command.arguments, row).empty();
  }
  static bool sets(const Command& command, std::string_view name) {
    return std::ranges::count_if(command.environment,
                                 [&](const auto& each) { return each.first == name; }) == 1;
  }
  ErrorKind refusal(const Launcher& launcher) {
    try {
      command(launcher);
    } catch (const Error& error) {
      EXPECT_FALSE(error.advice().empty());
      return error.kind();
    }
    return ErrorKind::internal;
  }

  fs::path folder_;
  const std::string before_ = std::getenv("PATH");
  Reception reception_;
};

TEST_F(Launchers, OfOneHostGiveRanksAllOfItsEnvironment) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  const Command mpirun = command({});
  EXPECT_EQ(mpirun.program, folder_ / "mpirun");
  EXPECT_TRUE(has(mpirun, {"-n", "3"}));
  EXPECT_FALSE(has(mpirun, {"-x"}));
  EXPECT_TRUE(has(mpirun, {"/worker", "--worker", "--connect",
                           "127.0.0.1:" + std::to_string(reception_.port())}));
  EXPECT_EQ(mpirun.scratch.size(), 2u);
  EXPECT_TRUE(sets(mpirun, "OMPI_MCA_btl_vader_backing_directory"));
}

TEST_F(Launchers, CarryNamesToOtherHostsAndNoValues) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  const Command mpirun = command({"mpirun", folder_ / "hosts"});
  EXPECT_TRUE(has(mpirun, {"-x", "NCCL_NVLS_ENABLE"}));
  EXPECT_TRUE(has(mpirun, {"-x", "RIDGELINE_TOKEN"}));
  EXPECT_TRUE(has(mpirun, {"--stdin", "all"}));
  EXPECT_TRUE(has(mpirun, {"--hostfile", (folder_ / "hosts").string()}));
  EXPECT_FALSE(sets(mpirun, "OMPI_MCA_btl_vader_backing_directory"))
      << "other hosts do not have this host's folders";
  EXPECT_EQ(mpirun.scratch.size(), 1u);
  setenv("SLURM_JOB_ID", "7", 1);
  const Command srun = command({"srun"});
  EXPECT_TRUE(has(srun, {"--cpu-bind=none"}));
  EXPECT_EQ(srun.program, folder_ / "srun");
  EXPECT_TRUE(has(srun, {"--mpi=pmix", "--ntasks", "3"}));
  EXPECT_EQ(std::ranges::count_if(srun.arguments,
                                  [](const std::string& each) {
                                    return each.starts_with("--export=") &&
                                           each.find(",NCCL_NVLS_ENABLE,") != std::string::npos;
                                  }),
            1);
  for (const Command& each : {mpirun, srun})
    for (const std::string& argument : each.arguments)
      EXPECT_EQ(argument.find(reception_.token()), std::string::npos) << "everybody can read it";
}

TEST_F(Launchers, InAnAllocationMayLeaveTheHost) {
  EXPECT_FALSE(may_leave_host({}));
  EXPECT_TRUE(may_leave_host({"srun"}));
  EXPECT_TRUE(may_leave_host({"mpirun", "hosts"}));
  setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_TRUE(may_leave_host({}));
  EXPECT_TRUE(has(command({}), {"-x", "RIDGELINE_TOKEN"}));
}

TEST_F(Launchers, SayOverHowManyHostsRanksAreSpread) {
  EXPECT_EQ(spread({}), "");
  std::ofstream(folder_ / "hosts") << "# ours\n\none slots=2\n  two slots=2\n";
  EXPECT_EQ(spread({"mpirun", folder_ / "hosts"}), "mpirun, 2 hosts");
  setenv("SLURM_JOB_NUM_NODES", "1", 1);
  EXPECT_EQ(spread({}), "");
  EXPECT_EQ(spread({"srun"}), "srun, 1 host");
  setenv("SLURM_JOB_NUM_NODES", "3", 1);
  EXPECT_EQ(spread({}), "mpirun, 3 hosts");
  unsetenv("SLURM_JOB_NUM_NODES");
}

TEST_F(Launchers, AreRefusedBeforeAnythingIsStarted) {
  EXPECT_EQ(refusal({"mpiexec"}), ErrorKind::usage);
  EXPECT_EQ(refusal({"srun"}), ErrorKind::usage) << "without an allocation";
  EXPECT_EQ(refusal({"mpirun", "/dev/zero"}), ErrorKind::usage) << "no file";
  EXPECT_EQ(refusal({"srun", folder_ / "hosts"}), ErrorKind::usage);
  EXPECT_EQ(refusal({"mpirun", folder_ / "none"}), ErrorKind::usage);
  EXPECT_EQ(refusal({"mpirun", folder_}), ErrorKind::usage) << "a folder";
  fs::remove(folder_ / "srun");
  EXPECT_EQ(refusal({"srun"}), ErrorKind::dependency);
}

}  // namespace launcher_test
}  // namespace ridgeline::process
