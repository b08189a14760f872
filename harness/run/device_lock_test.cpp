#include "harness/run/device_lock.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace device_lock_test {

class Lock : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("ridgeline-lock-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    setenv("RIDGELINE_LOCKS", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("RIDGELINE_LOCKS");
    std::filesystem::remove_all(folder);
  }
  std::filesystem::path folder;
};

void refuse(const std::string& holder) { throw std::runtime_error(holder); }

TEST_F(Lock, TellsTheSecondWhoHoldsTheDevice) {
  const DeviceLock first("synthetic-1", "run a", refuse);
  try {
    const DeviceLock second("synthetic-1", "run b", refuse);
    ADD_FAILURE() << "both got the lock";
  } catch (const std::runtime_error& busy) {
    EXPECT_EQ(std::string(busy.what()), "pid " + std::to_string(getpid()) + ", run a");
  }
}

TEST_F(Lock, IsFreeAgainAfterItsHolderAndPerDevice) {
  { const DeviceLock first("synthetic-1", "run a", refuse); }
  const DeviceLock second("synthetic-1", "run b", refuse);
  const DeviceLock other("synthetic-2", "run c", refuse);
}

TEST_F(Lock, SaysWhoHoldsADeviceWithoutWaiting) {
  EXPECT_FALSE(device_use("synthetic-1")) << "looking makes no file";
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  {
    const DeviceLock lock("synthetic-1", "run a", refuse);
    const auto use = device_use("synthetic-1");
    ASSERT_TRUE(use);
    EXPECT_TRUE(use->held);
    EXPECT_EQ(use->holder, "pid " + std::to_string(getpid()) + ", run a");
  }
  EXPECT_FALSE(device_use("synthetic-1").value().held) << "the file stays, and who held it last";
  const DeviceLock again("synthetic-1", "run b", refuse);
  ASSERT_EQ(mkfifo((folder / "ridgeline-pipe.lock").c_str(), 0600), 0);
  EXPECT_FALSE(device_use("pipe"));
}

TEST_F(Lock, AStaleFileBlocksNobodyAndAPipeOrLinkIsRefused) {
  std::filesystem::path file = folder / "ridgeline-stale.lock";
  fclose(fopen(file.c_str(), "w"));
  const DeviceLock lock("stale", "run a", refuse);
  ASSERT_EQ(mkfifo((folder / "ridgeline-pipe.lock").c_str(), 0600), 0);
  EXPECT_THROW(DeviceLock("pipe", "run a", refuse), Error);
  std::filesystem::create_symlink(file, folder / "ridgeline-link.lock");
  EXPECT_THROW(DeviceLock("link", "run a", refuse), Error);
}

TEST_F(Lock, AFileThatHasAnotherNameIsNotWrittenTo) {
  const std::filesystem::path mine = folder / "mine.txt";
  std::ofstream(mine) << "precious";
  std::filesystem::create_hard_link(mine, folder / "ridgeline-hard.lock");
  EXPECT_THROW(DeviceLock("hard", "run a", refuse), Error);
  EXPECT_EQ(std::filesystem::file_size(mine), 8u);
}

}  // namespace device_lock_test
}  // namespace ridgeline::run
