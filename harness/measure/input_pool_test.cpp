#include "harness/measure/input_pool.hpp"

#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "harness/device/random.hpp"
#include "harness/device/random_element.hpp"
#include "harness/measure/workload.hpp"

namespace ridgeline::measure {
namespace input_pool_test {

using device::Distribution;

TEST(InputPool, ViewsHoldTheElementsTheyName) {
  device::FakeDevice device;
  InputPool pool(device, 42);
  for (std::size_t count : {1u, 1000u, 3u, 2'000'000u, 0u, 5u}) {
    const InputPool::View view = pool.take(DType::f32, Distribution::uniform, count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % 256, 0u);
    for (std::size_t i = 0; i < count; i += 1 + count / 50)
      ASSERT_EQ(static_cast<const float*>(view.data)[i],
                device::random_element(DType::f32, Distribution::uniform, 42, view.first_index + i))
          << i;
  }
}

TEST(InputPool, ViewsOfOneCaseNeverOverlap) {
  device::FakeDevice device;
  InputPool pool(device, 1);
  std::map<const std::byte*, std::size_t> taken;
  for (int i = 0; i < 300; ++i) {
    const std::size_t count = 1 + device::random_bits(3, static_cast<std::uint64_t>(i)) % 50'000;
    const auto* data =
        static_cast<const std::byte*>(pool.take(DType::f64, Distribution::uniform, count).data);
    const auto after = taken.emplace(data, count * 8).first;
    if (after != taken.begin()) {
      ASSERT_LE(std::prev(after)->first + std::prev(after)->second, data);
    }
    if (std::next(after) != taken.end()) {
      ASSERT_LE(data + count * 8, std::next(after)->first);
    }
  }
}

TEST(InputPool, RewindingReusesWhatIsFilled) {
  device::FakeDevice device;
  InputPool pool(device, 1);
  const InputPool::View first = pool.take(DType::bf16, Distribution::uniform, 1000);
  pool.take(DType::bf16, Distribution::zeros, 1000);
  const std::size_t bytes = pool.bytes();
  EXPECT_EQ(bytes, device.bytes_allocated());
  pool.rewind();
  EXPECT_EQ(pool.take(DType::bf16, Distribution::uniform, 1000).data, first.data);
  const auto* zeros =
      static_cast<const std::uint16_t*>(pool.take(DType::bf16, Distribution::zeros, 1000).data);
  EXPECT_EQ(zeros[999], 0);
  EXPECT_EQ(pool.bytes(), bytes);
}

TEST(InputPool, ReservedACaseHasTheSameElementsWhateverCameBefore) {
  const auto indices = [](const std::vector<std::size_t>& before) {
    device::FakeDevice device;
    InputPool pool(device, 1, 256u << 20);
    for (const std::size_t count : before) pool.take(DType::f32, Distribution::uniform, count);
    pool.rewind();
    std::vector<std::uint64_t> first;
    for (const std::size_t count : {1000u, 5'000'000u, 30'000'000u, 7u}) {
      const InputPool::View view = pool.take(DType::f32, Distribution::uniform, count);
      first.push_back(view.first_index);
      EXPECT_EQ(static_cast<const float*>(view.data)[count - 1],
                device::random_element(DType::f32, Distribution::uniform, 1,
                                       view.first_index + count - 1));
    }
    EXPECT_EQ(pool.bytes(), pool.taken_bytes());  // no more is filled
    return first;
  };
  EXPECT_EQ(indices({}), indices({3, 20'000'000}));
}

TEST(InputPool, MoreThanIsReservedIsAllocatedBeside) {
  device::FakeDevice device;
  InputPool pool(device, 1, 1u << 20);
  pool.take(DType::u8, Distribution::uniform, 1000);
  const InputPool::View view = pool.take(DType::u8, Distribution::uniform, 5u << 20);
  EXPECT_EQ(
      static_cast<const std::uint8_t*>(view.data)[5'000'000],
      device::random_element(DType::u8, Distribution::uniform, 1, view.first_index + 5'000'000));
}

TEST(InputPool, DoesWithoutAReservationThatTheMachineRefuses) {
  device::FakeDevice device;  // of 1 GiB
  InputPool pool(device, 1, std::size_t{2} << 30);
  pool.take(DType::u8, Distribution::uniform, 1000);
  EXPECT_LT(device.bytes_allocated(), 64u << 20);
}

TEST(InputPool, WhatOneLargeCaseTookIsThereForTheNext) {
  device::FakeScript script;
  script.memory = 64u << 20;
  device::FakeDevice device(script);
  InputPool pool(device, 1);
  pool.take(DType::u8, Distribution::uniform, device.facts().memory / 4);
  pool.rewind();
  EXPECT_EQ(device.bytes_allocated(), 0u);
  EXPECT_THROW(pool.take(DType::u8, Distribution::uniform, 2 * device.facts().memory),
               std::exception);
  EXPECT_EQ(pool.bytes(), device.bytes_allocated());
}

TEST(Setup, ColdCasesRotateOverTwiceTheLastLevelCache) {
  device::FakeDevice device;  // 1 MiB of last-level cache
  InputPool pool(device, 1);
  Group alone;
  measure::Setup setup{device, pool, alone};
  EXPECT_EQ(setup.sets(4 << 20), (Sets{2, 1}));
  EXPECT_EQ(setup.sets(2 << 20), (Sets{2, 1}));
  EXPECT_EQ(setup.sets(1 << 20), (Sets{2, 2}));
  EXPECT_EQ(setup.sets(300 << 10), (Sets{8, 8}));  // 7 would do
  EXPECT_EQ(setup.sets(64), (Sets{4096, 4096}));
  EXPECT_EQ(setup.sets(64, 100), (Sets{96, 96}));
  EXPECT_EQ(setup.sets(0), (Sets{1, 1}));
  EXPECT_EQ(setup.fewest_sets(), (Sets{2, 1}));
  setup.cache = Cache::hot;
  EXPECT_EQ(setup.sets(64), (Sets{2, 1}));
}

}  // namespace input_pool_test
}  // namespace ridgeline::measure
