#include "kernels/ptx/test/cluster.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

namespace ridgeline::ptx::test {
namespace {

class Cluster : public testing::Test {
 protected:
  void SetUp() override {
    kernels::TestDevice found = hopper_device();
    if (!found.device) GTEST_SKIP() << found.reason;
    device = std::move(found.device);
  }
  std::unique_ptr<device::Device> device;
};

TEST_F(Cluster, BlocksReachTheSharedMemoryOfOthers) {
  constexpr int blocks = 12;
  device::Buffer<int> to(*device, std::size_t{2} * blocks);
  to.poison();
  read_neighbours(device->stream(), blocks, to.data());
  device->synchronize();
  const std::vector<int> got = to.download();
  for (int block = 0; block < blocks; ++block) {
    const int behind = block / 4 * 4 + (block + 1) % 4;
    EXPECT_EQ(got[static_cast<std::size_t>(2 * block)], 100 + behind);
    EXPECT_EQ(got[static_cast<std::size_t>(2 * block + 1)], 1000 + behind);
  }
}

TEST_F(Cluster, BlocksOfAResidentGridWaitForEachOther) {
  constexpr int blocks = 50;
  device::Buffer<unsigned> counter(*device, std::vector<unsigned>(1, 0)), to(*device, blocks);
  to.poison();
  meet(device->stream(), blocks, counter.data(), to.data());
  device->synchronize();
  EXPECT_EQ(to.download(), std::vector<unsigned>(blocks, 50 * 51 / 2));
}

}  // namespace
}  // namespace ridgeline::ptx::test
