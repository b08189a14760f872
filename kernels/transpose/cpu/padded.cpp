#include "kernels/transpose/cpu/tiles.hpp"

// As tiled, through a tile of its own whose rows are a line longer than a power of two: turned round there, where no
// two rows share a set of the L1 cache, and written out row by row, whole lines at a time. Bound by DRAM.
namespace ridgeline::transpose::on_cpu {
namespace {

constexpr int edge = 64, pitch = edge + 16;

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  for_each_tile<edge>(problem, [&](const Tile& tile) {
    alignas(64) float held[edge * pitch];
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const float* const from = operands.in + (tile.row + row) * problem.cols + tile.col;
      for (std::int64_t col = 0; col < tile.cols; ++col) held[col * pitch + row] = from[col];
    }
    for (std::int64_t col = 0; col < tile.cols; ++col)
      std::copy_n(held + col * pitch, tile.rows, operands.out + (tile.col + col) * problem.rows + tile.row);
  });
}

}  // namespace

Variant padded() {
  return {"turns tiles round in a padded tile of its own and writes whole lines",
          [](const Problem&, const device::Facts&) { return device::Support::yes(); }, launch, traffic};
}

}  // namespace ridgeline::transpose::on_cpu
