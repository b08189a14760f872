// On made-up trees of /proc and /sys/fs/cgroup.

#include "harness/run/cgroups.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "harness/store/temporary_folder.hpp"

namespace ridgeline::run {
namespace cgroups_test {

class Cgroups : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// Of cgroup v1, in us.
  void put_quota(const std::string& folder, const std::string& quota) const {
    put(folder + "/cpu.cfs_quota_us", quota + "\n");
    put(folder + "/cpu.cfs_period_us", "100000\n");
  }
  std::optional<double> quota() const { return processor_quota(root.path()); }

  store::TemporaryFolder root;
};

constexpr const char* first_version =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

TEST_F(Cgroups, WithoutAnyThereIsNoLimit) {
  EXPECT_FALSE(quota());
  EXPECT_FALSE(memory_limit(root.path()));
  put("proc/self/cgroup", "nonsense\n:\n0\n");
  put("proc/self/mountinfo", "nonsense - \n1 2 3 - cgroup\n - - -\n");
  EXPECT_FALSE(quota());
}

TEST_F(Cgroups, OfVersionOneTheLeastQuotaOfAllGroupsAboveHolds) {
  put("proc/self/mountinfo", first_version);
  put("proc/self/cgroup", "9:cpuset:/elsewhere\n1:cpuacct,cpu:/a/b\n0::/\n");
  const std::string cpu = "sys/fs/cgroup/cpu,cpuacct";
  put_quota(cpu, "-1");
  put_quota(cpu + "/a/b", "-1");
  put_quota(cpu + "/c", "1000");
  put_quota("sys/fs/cgroup/cpuset/elsewhere", "1000");
  EXPECT_FALSE(quota()) << "none of them is a quota of this process";
  put_quota(cpu + "/a/b", "150000");
  EXPECT_EQ(quota(), 1.5);
  put_quota(cpu + "/a", "20000");
  EXPECT_EQ(quota(), 0.2);
  put_quota(cpu, "50000");
  EXPECT_EQ(quota(), 0.2);
}

TEST_F(Cgroups, AContainerSeesItsGroupAsTheTop) {
  put("proc/self/mountinfo",
      "32 31 0:29 /docker/12ab /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  put("proc/self/cgroup", "4:cpu:/docker/12ab\n");
  put_quota("sys/fs/cgroup/cpu", "50000");
  EXPECT_EQ(quota(), 0.5);
  put("proc/self/cgroup", "4:cpu:/docker/12ab/inner\n");
  put_quota("sys/fs/cgroup/cpu/inner", "20000");
  EXPECT_EQ(quota(), 0.2);
  put("proc/self/cgroup", "4:cpu:/docker/99ff\n");
  EXPECT_EQ(quota(), 0.5) << "what it is told lies outside of what it sees";
}

TEST_F(Cgroups, ANamespaceSeesWhatLiesAboveItByTwoDots) {
  const std::string cpu = "sys/fs/cgroup/cpu";
  put_quota(cpu, "50000");
  put_quota(cpu + "/a", "10000");
  put_quota(cpu + "/x", "20000");
  const struct {
    const char *top, *group;
    double quota;
  } rows[] = {{"/..", "/", 0.5},      {"/..", "/a", 0.5},     {"/", "/../x", 0.5},
              {"/../y", "/a", 0.5},   {"/..", "/../x", 0.2},  {"/../y", "/../y/x", 0.2},
              {"/y", "/y/../x", 0.5}, {"/..", "/../..", 0.5}, {"/", "/x/b", 0.2}};
  for (const auto& row : rows) {
    put("proc/self/mountinfo",
        std::string("32 31 0:29 ") + row.top + " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    put("proc/self/cgroup", std::string("4:cpu:") + row.group + "\n");
    EXPECT_EQ(quota(), row.quota) << row.group << " seen from " << row.top;
  }
}

TEST_F(Cgroups, MemoryIsLimitedInEitherVersion) {
  put("proc/self/mountinfo", first_version);
  put("proc/self/cgroup", "4:memory:/a\n0::/b\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000\n");
  put("sys/fs/cgroup/unified/b/memory.max", "max\n");
  put("sys/fs/cgroup/unified/b/memory.current", "1000\n");
  EXPECT_FALSE(memory_limit(root.path())) << "what the kernel writes for none, and \"max\"";
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854710272\n");
  EXPECT_FALSE(memory_limit(root.path())) << "and with pages of 64 KiB";
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
  EXPECT_EQ(memory_limit(root.path()).value().free, 4000);
  put("sys/fs/cgroup/unified/b/memory.max", "3000\n");
  EXPECT_EQ(memory_limit(root.path()).value().free, 2000);
  EXPECT_EQ(memory_limit(root.path()).value().bytes, 3000);
}

}  // namespace cgroups_test
}  // namespace ridgeline::run
