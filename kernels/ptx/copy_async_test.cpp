#include "kernels/ptx/test/copy_async.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

namespace ridgeline::ptx::test {
namespace copy_async_test {

class CopyAsync : public testing::Test {
 protected:
  void SetUp() override {
    kernels::TestDevice found = hopper_device();
    if (!found.device) GTEST_SKIP() << found.reason;
    device = std::move(found.device);
  }
  /// Of 1, 2, 3, ...
  std::vector<float> copied(bool words, int outside) const {
    std::vector<float> values(128);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 1;
    const device::Buffer<float> from(*device, values);
    device::Buffer<float> to(*device, values.size());
    to.poison();
    copy_to_shared(device->stream(), words, outside, from.data(), to.data());
    device->synchronize();
    return to.download();
  }
  std::unique_ptr<device::Device> device;
};

TEST_F(CopyAsync, BringsWordsWhereverTheyGoAndZerosForThoseOutside) {
  const std::vector<float> got = copied(true, 5);
  for (std::size_t i = 0; i < 128; ++i)
    EXPECT_EQ(got[i % 16 * 8 + i / 16], i < 123 ? static_cast<float>(i) + 1 : 0.0f) << i;
}

TEST_F(CopyAsync, BringsPiecesOf16Bytes) {
  const std::vector<float> got = copied(false, 2);
  for (std::size_t i = 0; i < 128; ++i)
    EXPECT_EQ(got[i], i < 120 ? static_cast<float>(i) + 1 : 0.0f) << i;
}

TEST_F(CopyAsync, ArrivesAtABarrierWithItsCopies) {
  std::vector<float> values(128);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 1;
  const device::Buffer<float> from(*device, values);
  device::Buffer<float> to(*device, values.size());
  to.poison();
  copy_and_arrive(device->stream(), from.data(), to.data());
  device->synchronize();
  const std::vector<float> got = to.download();
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(got[i], values[127 - i]) << i;
}

}  // namespace copy_async_test
}  // namespace ridgeline::ptx::test
