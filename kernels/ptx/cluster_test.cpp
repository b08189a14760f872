#include "kernels/ptx/test/cluster.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

namespace ridgeline::ptx::test {
namespace cluster_test {

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

TEST_F(Cluster, BlocksTellEachOtherByAsynchronousStores) {
  for (const int blocks : {2, 5, 8}) {
    constexpr int clusters = 3, rounds = 5;
    device::Buffer<float> to(*device, static_cast<std::size_t>(32 * clusters * blocks));
    to.poison();
    tell_all(device->stream(), clusters, blocks, rounds, to.data());
    device->synchronize();
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum = blocks * sum + blocks * (blocks + 1) / 2;
    EXPECT_EQ(to.download(), std::vector<float>(to.size(), static_cast<float>(sum)));
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

TEST_F(Cluster, BlocksShareBoxesByMulticast) {
  constexpr int per_round = 1024, readers = 128;
  for (const int rounds : {1, 2, 3, 9, 2500}) {
    // So many rounds take more turns than blocks may have in vain, and none of these is.
    const std::size_t blocks = rounds > 1000 ? 2 : 6;
    std::vector<unsigned short> values(static_cast<std::size_t>(rounds) * per_round);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<unsigned short>(i * 40503 >> 4);
    device::Buffer<unsigned short> from(*device, values);
    device::Buffer<unsigned> to(*device, blocks * readers);
    to.poison();
    share_boxes(device->stream(), Sharing::right, from.data(), static_cast<int>(blocks), rounds,
                to.data());
    device->synchronize();
    const std::vector<unsigned> got = to.download();
    for (std::size_t i = 0; i < got.size(); ++i) {
      unsigned sum = 0;
      for (std::size_t at = i % readers; at < values.size(); at += readers) sum += values[at];
      ASSERT_EQ(got[i], sum) << rounds << " rounds, block " << i / readers << ", thread "
                             << i % readers;
    }
  }
}

}  // namespace cluster_test
}  // namespace ridgeline::ptx::test
