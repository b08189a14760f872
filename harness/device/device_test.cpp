#include "harness/device/device.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/random_element.hpp"

namespace ridgeline::device {
namespace device_test {

// What every backend promises, checked on each kind of device that is here.
class EveryDevice : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Discovery found = discover();
    for (const Facts& facts : found.devices) {
      if (facts.kind != GetParam()) continue;
      device_ = open(facts.id);
      return;
    }
    for (const auto& [kind, reason] : found.unavailable)
      if (kind == GetParam()) GTEST_SKIP() << reason;
    FAIL() << "a kind of device is neither found nor unavailable with a reason";
  }
  std::unique_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Device, EveryDevice, testing::Values(Kind::cpu, Kind::cuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

double element(DType dtype, const unsigned char* at) {
  const auto as = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (dtype) {
    case DType::f64:
      return as(0.0);
    case DType::f32:
    case DType::tf32:
      return as(0.0f);
    case DType::f16:
      return from_f16(as(std::uint16_t{}));
    case DType::bf16:
      return from_bf16(as(std::uint16_t{}));
    case DType::e4m3:
    case DType::e4m3_fast:
      return from_e4m3(as(std::uint8_t{}));
    case DType::i32:
      return as(std::int32_t{});
    case DType::i8:
      return as(std::int8_t{});
    case DType::u8:
      break;
  }
  return as(std::uint8_t{});
}

constexpr DType dtypes[] = {DType::f64,  DType::f32,       DType::tf32, DType::f16, DType::bf16,
                            DType::e4m3, DType::e4m3_fast, DType::i32,  DType::u8,  DType::i8};

TEST_P(EveryDevice, FillsWithTheElementsThatOraclesCompute) {
  for (const DType dtype : dtypes) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
      const std::size_t count = 100003;
      Buffer<unsigned char> buffer(*device_, count * size_of(dtype));
      for (const Distribution distribution :
           {Distribution::uniform, Distribution::growing, Distribution::falling,
            Distribution::outliers, Distribution::low_first, Distribution::positive}) {
        device_->fill(buffer.data(), dtype, count, distribution, 42, first);
        const auto bytes = buffer.download();
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(element(dtype, &bytes[i * size_of(dtype)]),
                    random_element(dtype, distribution, 42, first + i))
              << to_string(dtype) << ' ' << static_cast<int>(distribution) << ' ' << i;
      }
      device_->fill(buffer.data(), dtype, count, Distribution::zeros, 42, first);
      for (const unsigned char byte : buffer.download()) ASSERT_EQ(byte, 0);
    }
  }
}

TEST_P(EveryDevice, FillsOnlyWhatItWasAskedTo) {
  Buffer<float> buffer(*device_, std::vector<float>(10, 7.0f));
  device_->fill(buffer.data() + 2, DType::f32, 5, Distribution::uniform, 1, 0);
  device_->fill(buffer.data() + 9, DType::f32, 0, Distribution::zeros, 1, 0);
  const auto host = buffer.download();
  for (const std::size_t untouched : {0, 1, 7, 8, 9}) EXPECT_EQ(host[untouched], 7.0f) << untouched;
  for (std::size_t i = 2; i < 7; ++i) EXPECT_LT(host[i], 1.0f) << i;
}

TEST_P(EveryDevice, PoisonIsNotANumberInEveryFloatingPointType) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{4099}}) {
    Buffer<double> buffer(*device_, count);
    buffer.poison();
    const auto host = buffer.download();
    for (const double value : host) {
      ASSERT_TRUE(std::isnan(value));
      for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
        ASSERT_TRUE(std::isnan(element(dtype, reinterpret_cast<const unsigned char*>(&value))));
    }
  }
}

TEST_P(EveryDevice, AllocatesAlignedMemoryAlsoForNothing) {
  std::vector<void*> taken;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{5} << 20}) {
    taken.push_back(device_->allocate(bytes));
    ASSERT_NE(taken.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back()) % 256, 0u) << bytes;
  }
  for (void* const memory : taken) device_->release(memory);
}

TEST_P(EveryDevice, RefusesMemoryThatThereIsNot) {
  for (const std::size_t bytes : {std::size_t{1} << 60, ~std::size_t{0}})
    EXPECT_THROW(device_->allocate(bytes), OutOfMemory) << bytes;
  Buffer<float> still_works(*device_, std::vector<float>{1, 2});
  EXPECT_EQ(still_works.download(), (std::vector<float>{1, 2}));
}

TEST_P(EveryDevice, ABatchExecutesItsLaunchesEachTimeItRuns) {
  for (const Launch mode : {Launch::graph, Launch::single}) {
    Buffer<unsigned char> buffer(*device_, std::vector<unsigned char>(4 << 20, 0));
    // Poisoning is work on the device's stream on every backend, so it stands for a kernel.
    const auto batch = device_->record([&](Stream&) { buffer.poison(); }, mode);
    for (int repeat = 0; repeat < 3; ++repeat) {
      device_->fill(buffer.data(), DType::u8, buffer.size(), Distribution::zeros, 0, 0);
      const double elapsed_ns = batch->run_ns();
      EXPECT_GT(elapsed_ns, 1e2);
      EXPECT_LT(elapsed_ns, 1e9);
      const auto host = buffer.download();
      EXPECT_EQ(host.front(), 0xFF);
      EXPECT_EQ(host.back(), 0xFF);
    }
  }
}

TEST_P(EveryDevice, KnowsItself) {
  const Facts& facts = device_->facts();
  EXPECT_EQ(facts.kind, GetParam());
  EXPECT_FALSE(facts.model.empty());
  EXPECT_EQ(facts.model.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
            std::string::npos)
      << facts.model;
  EXPECT_FALSE(facts.name.empty());
  EXPECT_FALSE(facts.uuid.empty());
  EXPECT_GT(facts.units, 0);
  EXPECT_GT(facts.memory, facts.memory_free);
  EXPECT_GT(facts.memory_free, 0u);
  EXPECT_GT(facts.last_level_cache, facts.l1);
  EXPECT_GT(facts.l1, 0u);
  EXPECT_FALSE(facts.comparable.empty());
  EXPECT_FALSE(facts.recorded.empty());
  EXPECT_FALSE(facts.properties.empty());
  const Reading reading = device_->read_sensors();
  EXPECT_GT(reading.sm_clock_mhz.value_or(1000), 100);
}

TEST(Discovery, IsStableWhileADeviceIsOpenAndAfterwards) {
  const Discovery before = discover();
  { const auto cpu = open("cpu"); }
  const auto cpu = open("cpu");
  const Discovery after = discover();
  ASSERT_EQ(before.devices.size(), after.devices.size());
  for (std::size_t i = 0; i < before.devices.size(); ++i) {
    EXPECT_EQ(before.devices[i].model, after.devices[i].model);
    EXPECT_EQ(before.devices[i].uuid, after.devices[i].uuid);
    EXPECT_EQ(before.devices[i].comparable, after.devices[i].comparable);
  }
}

TEST(Discovery, RefusesAnUnknownDeviceAndSaysWhatThereIs) {
  for (const char* id : {"", "cuda", "cuda:99", "cuda:-1", "gpu", "cpu:0"}) {
    try {
      open(id);
      ADD_FAILURE() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::dependency);
      EXPECT_NE(error.advice().find("cpu ("), std::string::npos) << error.advice();
    }
  }
}

}  // namespace device_test
}  // namespace ridgeline::device
