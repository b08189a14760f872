#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/transpose/transpose.hpp"

// What the tiled CPU variants share: threads share tiles of `edge` x `edge`, which may stick out of
// the matrix.
namespace ridgeline::transpose::on_cpu {

struct Tile {
  std::int64_t row, col, rows, cols;  // first element and extent inside the matrix
};

/// Calls `transpose` for every tile of the matrix, in parallel.
template <int edge, class Transpose>
void for_each_tile(const Problem& problem, Transpose transpose) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t row = 0; row < problem.rows; row += edge)
    for (std::int64_t col = 0; col < problem.cols; col += edge)
      transpose(Tile{row, col, std::min<std::int64_t>(edge, problem.rows - row),
                     std::min<std::int64_t>(edge, problem.cols - col)});
}

/// Each line of both matrices once.
inline kernels::Traffic traffic(const Problem& problem) {
  const std::int64_t lines = kernels::pieces(0, 4, 4, problem.elements(), kernels::line);
  return {{}, kernels::cpu_bytes(lines, lines)};
}

}  // namespace ridgeline::transpose::on_cpu
