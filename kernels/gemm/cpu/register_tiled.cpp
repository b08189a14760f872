#include <algorithm>

#include <omp.h>

#include "kernels/gemm/cpu_support.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/register_tile.hpp"

// A tile of C stays in vector registers over a whole block of k, where `cache_tiled` loads and
// stores C for every product: a step of p costs one load of each element of a row of B and a column
// of A for rows x columns multiply-adds. A and B are packed into panels in the order in which they
// are read, padded with zeros to whole tiles (as in Goto and van de Geijn, ACM TOMS 34, 2008). The
// tile is chosen for the CPU at run time: AVX-512, AVX2, or what every x86-64 CPU has. Bound by the
// vector units' FMA rate; packing costs O(mk + kn) of the O(mnk).

namespace ridgeline::gemm::on_cpu {
namespace {

constexpr std::int64_t block_k = 384;   // a panel of B (block_k x columns) fits half of a 48 KiB L1
                                        // or stays in L2
constexpr std::int64_t block_m = 192;   // rows of A that one core works on: 288 KiB of L2
constexpr std::int64_t block_n = 4096;  // columns of B packed at a time: 6 MiB, shared by all
                                        // threads

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}
std::int64_t divide_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step; }

std::int64_t packed_a_size(const Problem& problem) {
  return round_up(round_up(problem.m, widest_tile().rows) * std::min(block_k, problem.k), 64);
}
std::int64_t packed_b_size(const Problem& problem) {
  return round_up(std::min(block_n, problem.n), widest_tile().columns) *
         std::min(block_k, problem.k);
}
std::size_t workspace(const Problem& problem) {
  return static_cast<std::size_t>(packed_a_size(problem) + packed_b_size(problem)) * sizeof(float);
}

/// Panel `to` (depth x rows, packed) from rows first.. of A's block that starts at column p0. Rows
/// from `end` on become zeros.
void pack_a(const float* a, std::int64_t stride, std::int64_t first, std::int64_t end,
            std::int64_t depth, int rows, float* to) {
  for (int row = 0; row < rows; ++row) {
    if (first + row >= end) {
      for (std::int64_t p = 0; p < depth; ++p) to[p * rows + row] = 0;
      continue;
    }
    const float* from = a + (first + row) * stride;
    for (std::int64_t p = 0; p < depth; ++p) to[p * rows + row] = from[p];
  }
}

/// Panel `to` (depth x columns, packed) from columns first.. of B's block. Columns from `end` on
/// become zeros.
void pack_b(const float* b, std::int64_t stride, std::int64_t first, std::int64_t end,
            std::int64_t depth, int columns, float* to) {
  const std::int64_t inside = std::min<std::int64_t>(columns, end - first);
  for (std::int64_t p = 0; p < depth; ++p, to += columns) {
    std::copy_n(b + p * stride + first, inside, to);
    std::fill(to + inside, to + columns, 0.0f);
  }
}

/// One tile of C of which rows x columns are inside; at the edge it goes through a whole tile of
/// its own.
void multiply(const RegisterTile& tile, std::int64_t depth, const float* a, const float* b,
              float* c, std::int64_t stride, std::int64_t rows, std::int64_t columns, bool add) {
  if (rows >= tile.rows && columns >= tile.columns)
    return tile.multiply(depth, a, b, c, stride, add);
  float whole[16 * 32];
  tile.multiply(depth, a, b, whole, tile.columns, false);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(rows, tile.rows); ++i) {
    for (std::int64_t j = 0; j < std::min<std::int64_t>(columns, tile.columns); ++j) {
      float& element = c[i * stride + j];
      element = add ? element + whole[i * tile.columns + j] : whole[i * tile.columns + j];
    }
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto [m, n, k, dtype] = problem;
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
  if (k == 0) std::fill_n(c, m * n, 0.0f);
  if (m == 0 || n == 0 || k == 0) return;
  const RegisterTile& tile = widest_tile();
  auto* packed_a = static_cast<float*>(operands.workspace);
  float* packed_b = packed_a + packed_a_size(problem);
  const std::int64_t a_panels = divide_up(m, tile.rows);

#pragma omp parallel
  for (std::int64_t j0 = 0; j0 < n; j0 += block_n) {
    const std::int64_t j1 = std::min(j0 + block_n, n), b_panels = divide_up(j1 - j0, tile.columns);
    // Blocks of C for the threads: whole panels of both, small enough that every thread gets an
    // equal share of them.
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t m_blocks = divide_up(a_panels, block_m / tile.rows);
    const std::int64_t n_blocks = std::min(b_panels, divide_up(4 * threads, m_blocks));
    for (std::int64_t p0 = 0; p0 < k; p0 += block_k) {
      const std::int64_t depth = std::min(block_k, k - p0);
#pragma omp for schedule(static) nowait
      for (std::int64_t panel = 0; panel < b_panels; ++panel)
        pack_b(b + p0 * n, n, j0 + panel * tile.columns, j1, depth, tile.columns,
               packed_b + panel * tile.columns * depth);
#pragma omp for schedule(static)
      for (std::int64_t panel = 0; panel < a_panels; ++panel)
        pack_a(a + p0, k, panel * tile.rows, m, depth, tile.rows,
               packed_a + panel * tile.rows * depth);
#pragma omp for schedule(dynamic) collapse(2)
      for (std::int64_t i_block = 0; i_block < m_blocks; ++i_block) {
        for (std::int64_t j_block = 0; j_block < n_blocks; ++j_block) {
          const std::int64_t i_end = (i_block + 1) * a_panels / m_blocks,
                             j_end = (j_block + 1) * b_panels / n_blocks;
          for (std::int64_t j = j_block * b_panels / n_blocks; j < j_end; ++j) {
            for (std::int64_t i = i_block * a_panels / m_blocks; i < i_end; ++i) {
              multiply(tile, depth, packed_a + i * tile.rows * depth,
                       packed_b + j * tile.columns * depth,
                       c + i * tile.rows * n + j0 + j * tile.columns, n, m - i * tile.rows,
                       j1 - j0 - j * tile.columns, p0 > 0);
            }
          }
        }
      }
    }
  }
}

}  // namespace

Variant register_tiled() {
  return {"a tile of C in vector registers, A and B packed in the order of reading",
          {DType::f32},
          f32_only,
          launch,
          workspace};
}

}  // namespace ridgeline::gemm::on_cpu
