#pragma once

#include <cstdint>
#include <span>

// What one request of a warp costs, from the addresses of its active lanes.
namespace ridgeline::emulated {

inline constexpr int sector_bytes = 32, banks = 32, bank_bytes = 4;

/// Sectors that the lanes' accesses touch; each access is aligned to its size, so it lies in one.
/// Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
int sectors(std::span<const std::uint64_t> addresses);

/// Sectors of global memory that asynchronous copies of 16 bytes past L1 (cp.async.cg) ask for,
/// each lane from its source to its destination in shared memory: one for each line of 128 bytes
/// and each 32 bytes of shared memory that are filled from it. So they are no more than those that
/// are read only where destinations lie in them as the sources do: rows that are padded by 16 bytes
/// cost 18 in place of 16. Measured on an H100, see traffic_test.cpp.
int copied_sectors(std::span<const std::uint64_t> sources,
                   std::span<const std::uint64_t> destinations);

/// Bytes side by side from a multiple of them on, of which each word has a bank for itself.
inline constexpr std::uint64_t row_of_banks = std::uint64_t{banks} * bank_bytes;

/// Wavefronts that shared memory needs: lanes go in groups of 32, 16 or 8 for accesses of at most
/// 4, of 8 and of 16 bytes, and a group takes as many as the most distinct words that lie in one
/// bank. Groups of wide accesses are twice as large where, all over the warp, lanes i and i ^ 1 use
/// the same address, or lanes i and i ^ 2. `lanes` are their numbers in the warp, ascending.
/// Sources: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later; the
/// larger groups were measured on an H200, with all lanes active.
int wavefronts(std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lanes,
               int bytes);

}  // namespace ridgeline::emulated
