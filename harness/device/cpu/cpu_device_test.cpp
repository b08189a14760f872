#include "harness/device/cpu/cpu_device.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include "harness/device/cpu/cpu_facts.hpp"

namespace ridgeline::device::cpu {
namespace {

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
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(before.back(), &last);
  facts();
  ASSERT_EQ(sched_setaffinity(0, sizeof last, &last), 0);
  {
    const auto device = open();
    EXPECT_EQ(omp_get_max_threads(), 1);
    EXPECT_EQ(allowed_cpus(), std::vector<int>{before.back()});
    EXPECT_EQ(device->facts().units, facts().units) << "the device is still the same";
  }
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int cpu : before) CPU_SET(cpu, &all);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace
}  // namespace ridgeline::device::cpu
