#pragma once

#include <cstdint>
#include <span>

// What one request of a warp costs, from the addresses of its active lanes.
namespace ridgeline::device::emulated {

inline constexpr int sector_bytes = 32, banks = 32, bank_bytes = 4;

/// Sectors that the lanes' accesses touch; each access is aligned to its size, so it lies in one.
/// Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
int sectors(std::span<const std::uint64_t> addresses);

/// Wavefronts that shared memory needs: lanes go in groups of 32, 16 or 8 for accesses of at most 4, of 8 and of 16
/// bytes, and a group takes as many as the most distinct words that lie in one bank. Groups of wide accesses are twice
/// as large where, all over the warp, lanes i and i ^ 1 use the same address, or lanes i and i ^ 2. `lanes` are their
/// numbers in the warp, ascending. Sources: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and
/// later; the larger groups were measured on an H200, with all lanes active.
int wavefronts(std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lanes, int bytes);

}  // namespace ridgeline::device::emulated
