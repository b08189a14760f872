#include "harness/device/cuda/cuda_device.hpp"

#include <algorithm>
#include <chrono>
#include <regex>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"

namespace ridgeline::device {
namespace cuda_device_test {

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    const Discovery found = discover();
    if (found.devices.front().kind != Kind::cuda) GTEST_SKIP() << found.unavailable.front().reason;
    device_ = open(found.devices.front().id);
  }
  std::unique_ptr<Device> device_;
};

TEST_F(CudaDevice, ABatchThatCannotBeRecordedLeavesTheDeviceUsable) {
  const auto fail = [](Stream&) { throw Error(ErrorKind::dependency, "no such kernel"); };
  EXPECT_THROW(device_->record(fail, Launch::graph), Error);
  EXPECT_THROW(device_->record(fail, Launch::single)->run_ns(), Error);
  // Waiting for the stream is forbidden while it is captured, and spoils the capture.
  EXPECT_THROW(device_->record([&](Stream&) { device_->synchronize(); }, Launch::graph), Error);
  Buffer<float> buffer(*device_, std::vector<float>{1, 2, 3});
  EXPECT_GT(device_->record([&](Stream&) { buffer.poison(); }, Launch::graph)->run_ns(), 0);
  device_->synchronize();
}

TEST_F(CudaDevice, TimesGrowWithTheWorkAndDoNotCountTheSpin) {
  constexpr std::size_t bytes = 256u << 20;
  Buffer<char> large(*device_, bytes), small(*device_, 256);
  const auto typical = [&](Buffer<char>& buffer, int launches, Launch mode) {
    const auto batch = device_->record(
        [&](Stream&) {
          for (int i = 0; i < launches; ++i) buffer.poison();
        },
        mode);
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) times.push_back(batch->run_ns());
    std::sort(times.begin(), times.end());
    return times[10];
  };
  EXPECT_LT(typical(small, 1, Launch::single), 20e3) << "the spinning kernel alone takes longer";
  EXPECT_LT(typical(small, 20, Launch::graph) / 20, typical(small, 1, Launch::single));
  const double one = typical(large, 1, Launch::graph);
  EXPECT_GT(one, bytes / 20e3) << "20 TB/s is faster than any memory";
  const double eight = typical(large, 8, Launch::graph);
  EXPECT_NEAR(eight / one, 8, 1.6);
}

TEST_F(CudaDevice, HasADatasheetIdentity) {
  const Facts& facts = device_->facts();
  EXPECT_TRUE(
      std::regex_match(facts.uuid, std::regex("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")))
      << facts.uuid;
  EXPECT_TRUE(std::regex_match(facts.pci_id, std::regex("[0-9a-f]{4}"))) << facts.pci_id;
  EXPECT_EQ(facts.model.rfind("nvidia-", 0), 0u);
  EXPECT_EQ(facts.warp_size, 32);
  EXPECT_GE(facts.l1, facts.shared_per_unit);
}

TEST_F(CudaDevice, ReadsItsSensorsInLittleTime) {
  const Reading first = device_->read_sensors();
  if (!first.sm_clock_mhz) GTEST_SKIP() << "NVML does not answer";
  EXPECT_GT(first.power_w.value_or(1), 0);
  EXPECT_GT(first.temperature_c.value_or(20), 0);
  EXPECT_GE(first.other_processes.value_or(0), 0);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) device_->read_sensors();
  const std::chrono::duration<double, std::milli> each =
      (std::chrono::steady_clock::now() - start) / 20;
  RecordProperty("milliseconds_each", std::to_string(each.count()));
  EXPECT_LT(each.count(), 20);
}

}  // namespace cuda_device_test
}  // namespace ridgeline::device
