#pragma once

#include <cstdint>

// What a warp's tensor cores, and the instructions that move their operands, come to on the
// emulated device. Called by lanes alone, by all 32 of a warp.
namespace ridgeline::emulated {

/// A lane's part of up to four matrices of 8 x 8 16-bit elements.
struct Matrices {
  std::uint32_t parts[4];
};
/// What kernels/ptx/matrices.cuh says of load_matrices() and store_matrices(), of `count` matrices.
Matrices load_matrices(const void* row, int count, bool transposed);
void store_matrices(void* row, const Matrices& from, int count, bool transposed);

enum class Factor : std::uint8_t { f16, bf16, tf32, e4m3 };  // the last of warpgroups alone
struct Sums {
  float parts[4];
};
/// What kernels/ptx/mma.cuh says of mma_16x8x16() and mma_16x8x8().
Sums multiply(Factor type, Sums sums, Matrices left, std::uint32_t right_low,
              std::uint32_t right_high);

/// What a lane has of a product of 16 x 16 sums of depth 16 or 8: a piece of a row of each factor
/// (of the left one, lane l has row l % 16; of the right one, the rows go round as often as they
/// are shorter), and of the sums what mma.sync gives it, the left half first.
struct Pieces {
  float left[8], right[8], sums[8];
};
void multiply_pieces(Pieces& mine, int depth);

}  // namespace ridgeline::emulated
