#include "harness/device/fake/fake_device.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/random_element.hpp"

namespace ridgeline::device {
namespace fake_device_test {

TEST(FakeDevice, TakesTimesFromItsScriptAndStillExecutes) {
  FakeDevice device(
      {.elapsed_ns = [](std::int64_t batch) { return 100.0 + static_cast<double>(batch); }});
  int executions = 0;
  const auto batch = device.record([&](Stream&) { executions += 2; }, Launch::graph);
  EXPECT_EQ(executions, 0);
  EXPECT_EQ(batch->run_ns(), 100);
  EXPECT_EQ(batch->run_ns(), 101);
  EXPECT_EQ(executions, 4);
}

TEST(FakeDevice, FailsWhenItsScriptSaysSo) {
  FakeDevice device({.elapsed_ns = [](std::int64_t) -> double {
    throw Error(ErrorKind::dependency, "scripted");
  }});
  EXPECT_THROW(device.record([](Stream&) {}, Launch::graph)->run_ns(), Error);
}

TEST(FakeDevice, ReadsScriptedSensors) {
  FakeDevice device({.reading = [](std::int64_t reading) {
    Reading values;
    values.sm_clock_mhz = 1000 + static_cast<double>(reading);
    values.throttled_by_hardware = reading == 1;
    return values;
  }});
  EXPECT_EQ(device.read_sensors().sm_clock_mhz, 1000);
  EXPECT_TRUE(device.read_sensors().throttled_by_hardware);
}

TEST(FakeDevice, CountsItsMemoryAndRunsOutOfIt) {
  FakeDevice device({.memory = 1000});
  {
    const Buffer<char> first(device, 600);
    EXPECT_THROW(Buffer<char>(device, 401), OutOfMemory);
    const Buffer<char> second(device, 400);
    EXPECT_EQ(device.bytes_allocated(), 1000u);
    EXPECT_EQ(device.allocations(), 2u);
  }
  EXPECT_EQ(device.bytes_allocated(), 0u);
  EXPECT_EQ(device.allocations(), 0u);
}

TEST(FakeDevice, FillsAsEveryDeviceDoes) {
  FakeDevice device;
  Buffer<float> buffer(device, 100);
  device.fill(buffer.data(), DType::f32, 100, Distribution::uniform, 3, 50);
  const auto host = buffer.download();
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(host[i], random_element(DType::f32, Distribution::uniform, 3, 50 + i));
}

}  // namespace fake_device_test
}  // namespace ridgeline::device
