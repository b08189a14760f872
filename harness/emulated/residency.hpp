#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/device/cuda/launch_config.hpp"
#include "harness/device/stream.hpp"

namespace ridgeline::emulated {

/// As device::blocks_that_fit(), of the kernel that starts at `address`.
int blocks_that_fit(const device::Facts& facts, std::uint64_t address, int threads,
                    std::size_t shared_bytes);
int units_of(const void* machine);

}  // namespace ridgeline::emulated

namespace ridgeline::device {

/// SMs of the device that `stream` belongs to.
inline int units(const Stream& stream) { return emulated::units_of(stream.native); }

/// Nothing has to be asked for: blocks get what they take.
template <class... Parameters>
void prefer_shared_memory(void (*)(Parameters...), std::size_t) {}

/// Blocks of `threads` threads and `shared_bytes` of dynamic shared memory that an SM holds at
/// once. Registers and static shared memory are those of nvcc's code; in a program that does not
/// have them (built_kernels()), they limit nothing.
template <class... Parameters>
int blocks_that_fit(const Facts& facts, void (*kernel)(Parameters...), int threads,
                    std::size_t shared_bytes) {
  return emulated::blocks_that_fit(facts, reinterpret_cast<std::uint64_t>(kernel), threads,
                                   shared_bytes);
}

/// Clusters of `config` that the device of `stream` holds at once, where each of their blocks has
/// an SM for itself.
template <class... Parameters>
int clusters_that_fit(const Stream& stream, void (*)(Parameters...), const LaunchConfig& config) {
  const unsigned blocks = config.cluster.x * config.cluster.y * config.cluster.z;
  return std::max(units(stream) / static_cast<int>(blocks), 1);
}

}  // namespace ridgeline::device
