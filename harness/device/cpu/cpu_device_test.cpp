#include "harness/device/cpu/cpu_device.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "harness/device/cpu/affinity.hpp"
#include "harness/device/cpu/cpu_facts.hpp"

namespace ridgeline::device::cpu {
namespace cpu_device_test {

TEST(CpuDevice, PinsEachThreadToACoreOfItsOwnAndLetsGoWhenClosed) {
  if (omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "OpenMP binds its threads itself";
  const std::vector<int> before = allowed_cpus();
  {
    const auto device = open();
    std::vector<std::vector<int>> masks(static_cast<std::size_t>(device->facts().units));
    int threads = 0;
#pragma omp parallel
    {
      masks[static_cast<std::size_t>(omp_get_thread_num())] = allowed_cpus();
#pragma omp single
      threads = omp_get_num_threads();
    }
    EXPECT_EQ(threads, device->facts().units);
    std::set<int> cpus;
    for (const auto& mask : masks) {
      ASSERT_EQ(mask.size(), 1u);
      cpus.insert(mask.front());
    }
    EXPECT_EQ(static_cast<int>(cpus.size()), threads);
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(CpuDevice, StaysWithinAMaskThatWasNarrowedAfterDiscovery) {
  if (omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "OpenMP binds its threads itself";
  const std::vector<int> before = allowed_cpus();
  facts();
  ASSERT_TRUE(allow_cpus({before.back()}));
  {
    const auto device = open();
    EXPECT_EQ(omp_get_max_threads(), 1);
    EXPECT_EQ(allowed_cpus(), std::vector<int>{before.back()});
    EXPECT_EQ(device->facts().units, facts().units) << "the device is still the same";
  }
  ASSERT_TRUE(allow_cpus(before));
}

TEST(CpuDevice, ProcessesThatShareAMachineHaveCoresOfTheirOwn) {
  const std::vector<int> before = allowed_cpus();
  const auto cores = one_a_core(before);
  std::set<int> taken;
  std::size_t together = 0;
  const auto count = static_cast<int>(std::min<std::size_t>(cores.size(), 3));
  for (int index = 0; index < count; ++index) {
    keep_to_share(index, count);
    const auto share = allowed_cpus();
    together += share.size();
    taken.insert(share.begin(), share.end());
    ASSERT_TRUE(allow_cpus(before));
  }
  EXPECT_EQ(taken, std::set<int>(cores.begin(), cores.end()));
  EXPECT_EQ(together, cores.size()) << "no core is in two shares";
  keep_to_share(0, static_cast<int>(cores.size()) + 1);
  EXPECT_EQ(allowed_cpus(), before) << "more processes than cores";
}

}  // namespace cpu_device_test
}  // namespace ridgeline::device::cpu
