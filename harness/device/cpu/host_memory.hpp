#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/device.hpp"

/// Host memory as a Device hands it out. Filling and poisoning run on OpenMP's threads in static shares, as the kernels
/// do, so that the thread that touches a page first is the one that works on it later.
namespace ridgeline::device::cpu {

void* allocate_host(std::size_t bytes);  // aligned to 256 bytes, never null; throws OutOfMemory
void fill_host(void* to, DType dtype, std::size_t count, Distribution distribution, std::uint64_t seed,
               std::uint64_t first);
void set_host_bytes(void* memory, int value, std::size_t bytes);

}  // namespace ridgeline::device::cpu
