#include "kernels/transpose/cpu/tiles.hpp"

// Works in tiles, so that a line of the output is filled before it goes. But where rows of the output are a power of
// two apart, a tile's lines share a few sets of the L1 cache and push each other out. Bound by those misses.
namespace ridgeline::transpose::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  for_each_tile<64>(problem, [&](const Tile& tile) {
    for (std::int64_t row = tile.row; row < tile.row + tile.rows; ++row)
      for (std::int64_t col = tile.col; col < tile.col + tile.cols; ++col)
        operands.out[col * problem.rows + row] = operands.in[row * problem.cols + col];
  });
}

}  // namespace

Variant tiled() {
  return {"works in tiles, so that lines of the output are filled while a cache holds them",
          [](const Problem&, const device::Facts&) { return device::Support::yes(); }, launch, traffic};
}

}  // namespace ridgeline::transpose::on_cpu
