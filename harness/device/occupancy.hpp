#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/facts.hpp"

namespace ridgeline::device {

/// What a kernel's machine code asks of an SM, as ptxas reports it.
struct KernelResources {
  int registers = 0;                      // of a thread
  std::uint64_t static_shared_bytes = 0;  // of a block
  std::uint64_t stack_bytes = 0;          // of a thread, in local memory
  std::uint64_t spilled_bytes = 0;        // stores and loads of registers that do not fit
  bool operator==(const KernelResources&) const = default;
};

/// How many blocks an SM has room for at once. A launch may start fewer.
struct Occupancy {
  int blocks = 0;          // 0: not even one fits
  int warps = 0;           // of these blocks
  double fraction = 0;     // of the warps that an SM can hold
  std::string_view limit;  // what keeps the next block out: "warps", "blocks", "registers" or
                           // "shared memory"
};

/// Of blocks of `threads` threads with `dynamic_shared_bytes` of dynamic shared memory, on an SM as
/// `facts` describes it, with as much of its L1 as shared memory as possible. Throws a usage Error
/// without threads, or where the facts are not a GPU's.
///
/// Source: NVIDIA's occupancy calculator (cuda_occupancy.h of CUDA 13) for capabilities 8.x and
/// 9.0: registers go to warps in units of 256 within four parts of an SM, shared memory to blocks
/// in units of 128 B with 1 KiB for the system. The spreadsheet's "warp allocation granularity" of
/// 4 is these four parts.
Occupancy theoretical_occupancy(const Facts& facts, const KernelResources& kernel, int threads,
                                std::uint64_t dynamic_shared_bytes);

}  // namespace ridgeline::device
