#include "kernels/transpose/cpu/tiles.hpp"

// Works in tiles and writes along rows, a line of the output at once; the lines of the input that
// it reads down are used again while a cache holds them. But rows of the input that are a power of
// two apart share a few sets of that cache and push each other out. Bound by those misses, and by
// moving one element at a time.
namespace ridgeline::transpose::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  for_each_tile<32>(problem, [&](const Tile& tile) {
    for (std::int64_t col = tile.col; col < tile.col + tile.cols; ++col)
      for (std::int64_t row = tile.row; row < tile.row + tile.rows; ++row)
        operands.out[col * problem.rows + row] = operands.in[row * problem.cols + col];
  });
}

}  // namespace

Variant tiled() {
  return {"works in tiles: lines that are read down are used again while a cache holds them",
          [](const Problem&, const device::Facts&) { return device::Support::yes(); }, launch,
          traffic};
}

}  // namespace ridgeline::transpose::on_cpu
