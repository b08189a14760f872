#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/panel_softmax.hpp"
#include "kernels/gemm/register_tile.hpp"

// How the CPU variants cut one head into panels for gemm's register tile. Scores are kept
// transposed: a panel holds the scores of tile.columns queries, one row per key. So S' = K Q' and
// O' = V' S' are both products of packed panels, the scores of the first are the operand of the
// second as they stand, and the softmax runs along columns.
namespace ridgeline::attention::on_cpu {

constexpr std::int64_t key_block = 120;   // keys packed at a time: whole tiles of every width, and
                                          // with 128 dims in L2
constexpr std::int64_t block_panels = 8;  // panels of queries that use a packed block of keys

inline std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}
inline std::int64_t divide_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step;
}

/// Rows first .. end - 1 of a seq x dim matrix as columns of a panel: element (row, d) goes to
/// to[d * width + row - first], times factor; zeros fill up to width.
inline void pack_transposed(const float* matrix, std::int64_t dim, std::int64_t first,
                            std::int64_t end, int width, float factor, float* to) {
  for (std::int64_t row = 0; row < width; ++row) {
    const float* from = matrix + (first + row) * dim;
    for (std::int64_t d = 0; d < dim; ++d)
      to[d * width + row] = first + row < end ? from[d] * factor : 0.0f;
  }
}

/// What multiplies scores so that the softmax can take powers of 2.
inline float score_factor(const Problem& problem) {
  return static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(problem.dim)));
}

/// Keys first .. end - 1 of a head, packed for both products.
struct KeyBlock {
  std::int64_t first, end;
  float *keys, *values;  // key_block x dim and key_block x dim rounded up to whole tiles

  std::int64_t count() const { return end - first; }

  void pack_keys(const gemm::RegisterTile& tile, const float* k, std::int64_t dim) const {
    for (std::int64_t row = 0; row < count(); row += tile.rows)
      pack_transposed(k, dim, first + row, end, tile.rows, 1.0f, keys + row * dim);
  }
  void pack_values(const gemm::RegisterTile& tile, const float* v, std::int64_t dim) const {
    for (std::int64_t d = 0; d < dim; d += tile.rows) {
      float* to = values + d * count();
      const std::int64_t inside = std::min<std::int64_t>(tile.rows, dim - d);
      for (std::int64_t j = first; j < end; ++j, to += tile.rows) {
        std::copy_n(v + j * dim + d, inside, to);
        std::fill(to + inside, to + tile.rows, 0.0f);
      }
    }
  }
  /// scores = K q, rows up to the next whole tile.
  void multiply_keys(const gemm::RegisterTile& tile, std::int64_t dim, const float* query_panel,
                     float* scores) const {
    for (std::int64_t row = 0; row < count(); row += tile.rows)
      tile.multiply(dim, keys + row * dim, query_panel, scores + row * tile.columns, tile.columns,
                    false);
  }
  /// output (= or +=) V' p.
  void multiply_values(const gemm::RegisterTile& tile, std::int64_t dim, const float* p,
                       float* output, bool add) const {
    for (std::int64_t d = 0; d < dim; d += tile.rows)
      tile.multiply(count(), values + d * count(), p, output + d * tile.columns, tile.columns, add);
  }
  /// Scores of keys that a query must not see become -inf.
  void mask(const gemm::RegisterTile& tile, std::int64_t first_query, float* scores) const {
    for (std::int64_t j = std::max(first, first_query + 1); j < end; ++j) {
      const std::int64_t unseen = std::min<std::int64_t>(j - first_query, tile.columns);
      std::fill_n(scores + (j - first) * tile.columns, unseen,
                  -std::numeric_limits<float>::infinity());
    }
  }
};

/// The rows of O that a panel of results (dim x columns) holds, from query `first` on.
inline void write_output(const gemm::RegisterTile& tile, const float* panel, std::int64_t dim,
                         std::int64_t first, std::int64_t seq, float* o) {
  for (std::int64_t i = first; i < std::min(first + tile.columns, seq); ++i)
    for (std::int64_t d = 0; d < dim; ++d) o[i * dim + d] = panel[d * tile.columns + i - first];
}

}  // namespace ridgeline::attention::on_cpu
