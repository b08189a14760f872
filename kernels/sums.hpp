#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/device_oracle.hpp"

// Verification of sums modulo 2^32, which are exact in any order, for kernels that read without
// writing what they read.
namespace ridgeline::kernels {

/// Compares the sum of `sums` words of device memory with that of the words expected(0),
/// expected(1), ... expected(count - 1): by the CPU, or by the device's `oracle` where that judges.
/// The error is 1 when the sums differ.
template <class Expected>
Deviation compare_sums(device::Device& device, const void* partial, std::int64_t sums,
                       std::int64_t count, std::uint64_t seed, Expected expected,
                       const DeviceOracle& oracle) {
  const auto sum_of = [&](std::int64_t begin, std::int64_t end) {
    std::uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (end - begin > part_of_sum)
    for (std::int64_t i = begin; i < end; ++i) sum += expected(i);
    return sum;
  };
  std::uint32_t difference = 0;
  if (judged_on(device)) {
    const std::int64_t parts = (count + part_of_sum - 1) / part_of_sum;
    judge_once<std::uint32_t>(device, oracle, parts, seed, [&](std::int64_t part) {
      return sum_of(part * part_of_sum, std::min(count, (part + 1) * part_of_sum));
    });
    difference = static_cast<std::uint32_t>(tally(device, oracle, parts, partial, sums));
  } else {
    std::vector<std::uint32_t> host(static_cast<std::size_t>(sums));
    device.download(host.data(), partial, host.size() * sizeof(std::uint32_t));
    difference = sum_of(0, count);
    for (const std::uint32_t part : host) difference -= part;
  }
  return {difference == 0 ? 0.0 : 1.0, 0.0, Checked::whole};
}

}  // namespace ridgeline::kernels
