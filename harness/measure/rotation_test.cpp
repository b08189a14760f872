#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "harness/measure/batches.hpp"

namespace ridgeline::measure {
namespace {

TEST(Rotation, EverySampleExecutesEquallyOftenAndNoSetComesAgainEarly) {
  device::FakeDevice device;
  std::vector<std::size_t> order;
  Workload workload;
  workload.launch = [&](std::size_t set, device::Stream&) { order.push_back(set); };
  const struct {
    std::size_t sets;
    std::int64_t wanted, executions;
  } rows[] = {{1, 1, 1}, {1, 7, 7},  {4, 1, 1}, {4, 3, 4},        {4, 4, 4},
              {4, 5, 8}, {12, 5, 6}, {7, 3, 7}, {4096, 200, 256}, {3072, 100, 128}};
  for (const auto& row : rows) {
    workload.sets = row.sets;
    Rotation rotation(device, workload, device::Launch::graph);
    rotation.set_executions(row.wanted);
    EXPECT_EQ(rotation.executions(), row.executions) << row.sets << " sets, wanted " << row.wanted;
    order.clear();
    const std::size_t samples = 2 * std::max<std::size_t>(row.sets, 3);
    for (std::size_t i = 0; i < samples; ++i) {
      rotation.run_ns();
      ASSERT_EQ(order.size(), (i + 1) * static_cast<std::size_t>(rotation.executions()));
      ASSERT_EQ(rotation.last_set(), order.back());
    }
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i % row.sets);
  }
}

TEST(Rotation, ASingleLaunchIsOneExecutionOnEachSetInTurn) {
  device::FakeDevice device;
  std::vector<std::size_t> order;
  Workload workload;
  workload.sets = 3;
  workload.launch = [&](std::size_t set, device::Stream&) { order.push_back(set); };
  Rotation rotation(device, workload, device::Launch::single);
  rotation.set_executions(100);
  EXPECT_EQ(rotation.executions(), 1);
  for (int i = 0; i < 4; ++i) rotation.run_ns();
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0}));
}

}  // namespace
}  // namespace ridgeline::measure
