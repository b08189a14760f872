#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/device_oracle.hpp"
#include "kernels/oracle.hpp"

// Verification bit for bit, for kernels that move data or whose arithmetic is exact.
namespace ridgeline::kernels {

/// `value` rounded down to a multiple of 1 / steps: with 128, products of such factors and sums of
/// them are exact in f32.
inline double on_grid(float value, int steps = 128) {
  return std::floor(static_cast<double>(value) * steps) / steps;
}

/// What Device::poison leaves in a float that no kernel has written.
inline constexpr std::uint32_t poison_bits = 0xFFFFFFFFu;

/// Compares `count` elements of device memory with expected(0), expected(1), ... bit for bit.
/// Checks all of them, or of more than a million the first ones, the last ones and runs between
/// that `seed` picks. The error is the number of wrong elements among those checked, and none is
/// tolerated.
template <class T, class Expected>
Deviation compare_bits(device::Device& device, const T* data, std::int64_t count,
                       std::uint64_t seed, Expected expected) {
  constexpr std::int64_t run = 4096, most_runs = 256;
  const std::int64_t runs = (count + run - 1) / run;
  std::vector<T> host(run);
  std::int64_t wrong = 0;
  for (const std::int64_t picked : checked_rows(runs, most_runs, seed)) {
    const std::int64_t begin = picked * run, size = std::min(run, count - begin);
    device.download(host.data(), data + begin, static_cast<std::size_t>(size) * sizeof(T));
    for (std::int64_t i = 0; i < size; ++i) {
      const T right = expected(begin + i);
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bit for bit is meant
      wrong += std::memcmp(&host[static_cast<std::size_t>(i)], &right, sizeof(T)) != 0;
    }
  }
  return {static_cast<double>(wrong), 0.0, runs <= most_runs ? Checked::whole : Checked::sample};
}

/// The same, by the device's `oracle` where that judges: all elements, on the device.
template <class T, class Expected>
Deviation compare_bits(device::Device& device, const T* data, std::int64_t count,
                       std::uint64_t seed, Expected expected, const DeviceOracle& oracle) {
  if (!judged_on(device)) return compare_bits(device, data, count, seed, expected);
  judge_once<T>(device, oracle, count, seed, expected);
  return {static_cast<double>(tally(device, oracle, count, data, count)), 0.0, Checked::whole};
}

}  // namespace ridgeline::kernels
