#include "kernels/simd/vectors.hpp"
#include "kernels/transpose/cpu/tiles.hpp"

// As tiled, through a small tile of its own with padded rows, where no two rows compete for a set
// of the cache, and four rows at a time: reads and writes of memory both follow rows, in vectors.
// Bound by memory, whose rows it visits for 128 bytes each.
namespace ridgeline::transpose::on_cpu {
namespace {

using simd::baseline::Floats;
using simd::baseline::LooseFloats;

constexpr int edge = 32;
constexpr std::int64_t pitch = edge + 16;

/// Turns the 4 x 4 block at `from` round and writes it to `to`.
void turn(const float* from, std::int64_t from_pitch, float* to, std::int64_t to_pitch) {
  const Floats a = *reinterpret_cast<const LooseFloats*>(from);
  const Floats b = *reinterpret_cast<const LooseFloats*>(from + from_pitch);
  const Floats c = *reinterpret_cast<const LooseFloats*>(from + 2 * from_pitch);
  const Floats d = *reinterpret_cast<const LooseFloats*>(from + 3 * from_pitch);
  const Floats ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Floats cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *reinterpret_cast<LooseFloats*>(to) = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  *reinterpret_cast<LooseFloats*>(to + to_pitch) =
      __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  *reinterpret_cast<LooseFloats*>(to + 2 * to_pitch) =
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  *reinterpret_cast<LooseFloats*>(to + 3 * to_pitch) =
      __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

void transpose_whole(const Problem& problem, const Operands& operands, const Tile& tile) {
  alignas(64) float held[edge * pitch];
  for (int row = 0; row < edge; row += 4)
    for (int col = 0; col < edge; col += 4)
      turn(operands.in + (tile.row + row) * problem.cols + tile.col + col, problem.cols,
           held + col * pitch + row, pitch);
  for (int col = 0; col < edge; ++col)
    std::copy_n(held + col * pitch, edge,
                operands.out + (tile.col + col) * problem.rows + tile.row);
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  for_each_tile<edge>(problem, [&](const Tile& tile) {
    if (tile.rows == edge && tile.cols == edge) return transpose_whole(problem, operands, tile);
    for (std::int64_t col = tile.col; col < tile.col + tile.cols; ++col)
      for (std::int64_t row = tile.row; row < tile.row + tile.rows; ++row)
        operands.out[col * problem.rows + row] = operands.in[row * problem.cols + col];
  });
}

}  // namespace

Variant padded() {
  return {"turns blocks round in vector registers, through a padded tile of its own",
          [](const Problem&, const device::Facts&) { return device::Support::yes(); }, launch,
          traffic};
}

}  // namespace ridgeline::transpose::on_cpu
