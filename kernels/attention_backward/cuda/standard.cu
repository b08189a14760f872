#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/attention_backward.hpp"
#include "kernels/cuda/lanes.cuh"

// As the formulas are written: P and dS are written to memory, batch x heads x seq^2 elements each,
// and read by one product for each output; each product a block of 32 x 32 results from 32 x 32
// tiles in shared memory. Keys that a causal mask hides are computed and masked like others.
// Bound by shared memory: two loads for each multiply-add.

namespace ridgeline::attention_backward::on_cuda {
namespace {

constexpr int tile = 32, row_threads = 256;

using kernels::on_cuda::narrow;
using kernels::on_cuda::widen;

/// d[row] = dO . O of the row; a warp has a row.
template <class Element>
__global__ void __launch_bounds__(row_threads)
    row_sums(std::int64_t rows, int dim, const Element* o, const Element* d_o, float* d) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * (row_threads / 32) + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int e = lane; e < dim; e += 32) sum += widen(o[row * dim + e]) * widen(d_o[row * dim + e]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
  if (lane == 0) d[row] = sum;
}

/// 32 x 32 products of rows: i0 and j0 are the first ones of `left` and `right`, which have `seq`.
template <class Element>
__device__ __forceinline__ float product_of_rows(const Element* left, const Element* right,
                                                 std::int64_t i0, std::int64_t j0, std::int64_t seq,
                                                 int dim) {
  __shared__ float left_tile[tile][tile];
  __shared__ float right_tile[tile][tile + 1];  // read by column
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int e0 = 0; e0 < dim; e0 += tile) {
    left_tile[y][x] = i0 + y < seq ? widen(left[(i0 + y) * dim + e0 + x]) : 0.0f;
    right_tile[y][x] = j0 + y < seq ? widen(right[(j0 + y) * dim + e0 + x]) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < tile; ++e) sum += left_tile[y][e] * right_tile[x][e];
    __syncthreads();
  }
  return sum;
}

/// P and dS, rows of queries; 0 where a causal mask hides a key.
template <class Element>
__global__ void __launch_bounds__(tile* tile)
    probabilities_kernel(std::int64_t seq, int dim, std::int64_t group, bool causal, float factor,
                         const Element* q, const Element* k, const Element* v, const Element* d_o,
                         const float* logarithms, const float* d, Element* p, Element* ds,
                         std::int64_t tiles) {
  const std::int64_t head = blockIdx.x / (tiles * tiles), kv_first = head / group * seq * dim;
  const std::int64_t i0 = blockIdx.x / tiles % tiles * tile, j0 = blockIdx.x % tiles * tile;
  const float score =
                  factor * product_of_rows(q + head * seq * dim, k + kv_first, i0, j0, seq, dim),
              dp = product_of_rows(d_o + head * seq * dim, v + kv_first, i0, j0, seq, dim);
  const std::int64_t i = i0 + threadIdx.y, j = j0 + threadIdx.x;
  if (i >= seq || j >= seq) return;
  const float probability = causal && j > i ? 0.0f : expf(score - logarithms[head * seq + i]);
  const std::int64_t at = (head * seq + i) * seq + j;
  p[at] = narrow<Element>(probability);
  ds[at] = narrow<Element>(probability * (dp - d[head * seq + i]));
}

/// out = factor * square * other, or with the square transposed: rows of keys, and sums over the
/// `group` heads of queries that have these keys. `square`: seq x seq of each head of queries.
template <class Element, bool transposed>
__global__ void __launch_bounds__(tile* tile)
    sums_kernel(std::int64_t seq, int dim, std::int64_t group, float factor, const Element* square,
                const Element* other, Element* out, std::int64_t tiles) {
  __shared__ float square_tile[tile][tile + 1];  // may be read by column
  __shared__ float other_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, column_tiles = dim / tile;
  const std::int64_t head = blockIdx.x / (tiles * column_tiles);
  const std::int64_t row0 = blockIdx.x / column_tiles % tiles * tile, row = row0 + y;
  const int column = static_cast<int>(blockIdx.x % column_tiles) * tile + x;
  float sum = 0;
  for (std::int64_t query_head = transposed ? head * group : head;
       query_head < (transposed ? (head + 1) * group : head + 1); ++query_head) {
    const Element* const of_square = square + query_head * seq * seq;
    const Element* const of_other = other + (transposed ? query_head : head / group) * seq * dim;
    for (std::int64_t c0 = 0; c0 < seq; c0 += tile) {
      const std::int64_t i = transposed ? c0 + y : row, j = (transposed ? row0 : c0) + x;
      square_tile[y][x] = i < seq && j < seq ? widen(of_square[i * seq + j]) : 0.0f;
      other_tile[y][x] = c0 + y < seq ? widen(of_other[(c0 + y) * dim + column]) : 0.0f;
      __syncthreads();
#pragma unroll
      for (int e = 0; e < tile; ++e)
        sum += (transposed ? square_tile[e][y] : square_tile[y][e]) * other_tile[e][x];
      __syncthreads();
    }
  }
  if (row < seq) out[(head * seq + row) * dim + column] = narrow<Element>(factor * sum);
}

std::size_t square_bytes(const Problem& problem) {  // of P, as of dS
  const auto count = static_cast<std::size_t>(problem.rows() * problem.seq);
  return (count * size_of(problem.dtype) + 255) / 256 * 256;
}
std::size_t workspace(const Problem& problem) {
  return 2 * square_bytes(problem) + static_cast<std::size_t>(problem.rows()) * sizeof(float);
}

template <class Element>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t seq = problem.seq, heads = problem.all_heads(), group = problem.group(),
                     kv_heads = heads / group, tiles = (seq + tile - 1) / tile;
  const int dim = static_cast<int>(problem.dim), column_tiles = dim / tile;
  auto* const p = static_cast<Element*>(operands.workspace);
  auto* const ds = p + square_bytes(problem) / sizeof(Element);
  auto* const d = reinterpret_cast<float*>(ds + square_bytes(problem) / sizeof(Element));
  const auto *const q = static_cast<const Element*>(operands.q),
                    *const k = static_cast<const Element*>(operands.k),
                    *const v = static_cast<const Element*>(operands.v),
                    *const d_o = static_cast<const Element*>(operands.d_o);
  const float factor = 1.0f / sqrtf(static_cast<float>(dim));
  const auto blocks = [](std::int64_t count) {
    return device::LaunchConfig{.grid = dim3(static_cast<unsigned>(count)),
                                .block = dim3(tile, tile)};
  };
  device::launch({.grid = dim3(device::blocks_for(problem.rows(), row_threads / 32)),
                  .block = dim3(row_threads)},
                 stream, row_sums<Element>, problem.rows(), dim,
                 static_cast<const Element*>(operands.o), d_o, d);
  device::launch(blocks(heads * tiles * tiles), stream, probabilities_kernel<Element>, seq, dim,
                 group, problem.mask == Mask::causal, factor, q, k, v, d_o, operands.logarithms, d,
                 p, ds, tiles);
  device::launch(blocks(heads * tiles * column_tiles), stream, sums_kernel<Element, false>, seq,
                 dim, group, factor, ds, k, static_cast<Element*>(operands.dq), tiles);
  device::launch(blocks(kv_heads * tiles * column_tiles), stream, sums_kernel<Element, true>, seq,
                 dim, group, factor, ds, q, static_cast<Element*>(operands.dk), tiles);
  device::launch(blocks(kv_heads * tiles * column_tiles), stream, sums_kernel<Element, true>, seq,
                 dim, group, 1.0f, p, d_o, static_cast<Element*>(operands.dv), tiles);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  if (problem.dtype == DType::bf16)
    launch_as<__nv_bfloat16>(problem, operands, stream);
  else
    launch_as<float>(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32, DType::bf16});
}

}  // namespace

Variant standard() {
  return {"P and dS written to memory",
          {DType::f32, DType::bf16},
          supports,
          launch,
          workspace,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1},
          /*deterministic=*/true};
}

}  // namespace ridgeline::attention_backward::on_cuda
