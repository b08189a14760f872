#pragma once

#include <cstdint>

#include "harness/device/device.hpp"
#include "harness/device/random.hpp"

/// The kernels of a GPU, without CUDA's words. Each start_...() enqueues one launch, whose units of
/// work the kernel counts as it does them.
namespace ridgeline::worker::calibration::on_cuda {

/// What a thread read, added up modulo 2^32, and the units it counted.
struct Counted {
  std::uint32_t sum, units;
};

inline constexpr int chains = 16, advance_threads = 512;
inline constexpr int lanes_of_block = chains * advance_threads;

/// Takes `blocks` * lanes_of_block values through rounds of x = x * 1 + round_step, as
/// calibration::advance does. A unit is a round of a value; how far it has moved tells how many
/// were done.
void start_advance(const float* in, float* out, int blocks, std::int64_t rounds,
                   device::Stream& stream);

inline constexpr int read_threads = 512;
inline constexpr std::int64_t words_of_row = std::int64_t{4} * read_threads;  // 8 KiB: 16 bytes for
                                                                              // each thread of a
                                                                              // block

/// Reads `units` rows, one after the other and from the last of `rows` on to the first; the blocks
/// take turns, so that unit i is block i % blocks's. `rows` is a power of two. `out` has an element
/// for each thread of each block.
void start_read(const std::uint32_t* words, std::int64_t rows, std::int64_t units, int blocks,
                Counted* out, device::Stream& stream);

/// A warp to a block, each thread of which reads `steps` words, every one of which says where the
/// next is: see first_place() and next_place(). Among mask + 1 words. `out` has an element for each
/// thread of each block.
inline constexpr int chasers_of_block = 32;
void start_chase(const std::uint32_t* words, std::uint64_t mask, std::uint64_t seed,
                 std::int64_t steps, int blocks, Counted* out, device::Stream& stream);

RIDGELINE_HOST_DEVICE inline std::uint64_t first_place(std::uint64_t seed, int chaser,
                                                       std::uint64_t mask) {
  return device::random_bits(seed, static_cast<std::uint64_t>(chaser)) & mask;
}
/// Depends on the step, too: a chase that came back to a word would otherwise go round in a short
/// circle.
RIDGELINE_HOST_DEVICE inline std::uint64_t next_place(std::uint32_t word, std::int64_t step,
                                                      std::uint64_t mask) {
  return device::random_bits(word, static_cast<std::uint64_t>(step)) & mask;
}

/// Copies `words`, a multiple of words_of_copy_block, and adds one to `*launches`; the `first`
/// launch of an execution sets it to one.
inline constexpr std::int64_t words_of_copy_block = 1024;
void start_copy(const std::uint32_t* in, std::uint32_t* out, std::int64_t words, bool first,
                std::uint32_t* launches, device::Stream& stream);

}  // namespace ridgeline::worker::calibration::on_cuda
