#pragma once

#include <cstdint>
#include <span>

/// One thread's share of an execution, in units of work that are counted as they are done.
namespace ridgeline::worker::calibration {

/// More independent chains than a multiply-add's latency asks for.
inline constexpr int chains = 12, lanes_of_chain = 4;
inline constexpr int lanes = chains * lanes_of_chain;
inline constexpr float round_step = 0x1p-10f;

/// Takes `lanes` values through rounds of x = x * one + round_step, all in registers; a unit is a
/// round. With `one` = 1 and values that are multiples of 2^-10 in [-1, 1) every step is exact
/// below 2^24 rounds, so that how far a value has moved tells how many rounds were done. `one` is
/// no constant, or the compiler would leave the product out.
void advance(float* values, std::int64_t rounds, float one);

inline constexpr std::int64_t words_of_block = 64;  // 256 bytes
inline constexpr std::int64_t loads_of_unit = 8;    // of a gather

/// What a share of an execution read, added up modulo 2^32, and the units it counted.
struct Counted {
  std::uint32_t sum;
  std::int64_t units;
};

/// Reads `units` blocks in a row from block `begin`, from the end of `words` on to its start.
/// `words` holds whole blocks.
Counted read_blocks(std::span<const std::uint32_t> words, std::int64_t begin, std::int64_t units);

/// Reads words `begin` * loads_of_unit and on of the random sequence `seed`. The size of `words` is
/// a power of two.
Counted gather_words(std::span<const std::uint32_t> words, std::uint64_t seed, std::int64_t begin,
                     std::int64_t units);

}  // namespace ridgeline::worker::calibration
