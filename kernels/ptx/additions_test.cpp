#include "kernels/ptx/test/additions.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

// Additions of the asynchronous unit and of L2, on the emulated device and on a GPU.
namespace ridgeline::ptx::test {
namespace additions_test {

TEST(Additions, OfManyBlocksAreAllThere) {
  const kernels::TestDevice found = hopper_device();
  if (!found.device) GTEST_SKIP() << found.reason;
  for (const int count : {8, 20, 1024}) {
    std::vector<float> before(static_cast<std::size_t>(count) + 4);
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<float>(i);
    const device::Buffer<float> sums(*found.device, before);
    constexpr int blocks = 20;
    add_from_blocks(found.device->stream(), blocks, sums.data(), count);
    found.device->synchronize();
    const std::vector<float> got = sums.download();
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], before[i] + (i < static_cast<std::size_t>(count)
                                         ? static_cast<float>(blocks * (blocks + 1) / 2)
                                         : 0.0f))
          << "number " << i << " of " << count;
  }
}

TEST(Additions, OfFoursFromManyBlocksAreAllThere) {
  const kernels::TestDevice found = hopper_device();
  if (!found.device) GTEST_SKIP() << found.reason;
  constexpr int blocks = 20, fours = 100;
  std::vector<float> before(4 * fours + 4);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<float>(i);
  const device::Buffer<float> sums(*found.device, before);
  add_fours_from_blocks(found.device->stream(), blocks, sums.data(), fours);
  found.device->synchronize();
  const std::vector<float> got = sums.download();
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], before[i] + (i < 4 * fours
                                       ? static_cast<float>((i % 4 + 1) * blocks * (blocks + 1) / 2)
                                       : 0.0f))
        << "number " << i;
}

}  // namespace additions_test
}  // namespace ridgeline::ptx::test
