#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention/device_oracle.hpp"
#include "kernels/cuda/elements.cuh"

// Expected rows in double precision, and beside them the same in plain steps of the problem's
// precision: first all scores of the rows are written down, then what they amount to, then the
// outputs. Inputs are made again where they are needed.
namespace ridgeline::attention::on_cuda {

using kernels::Elements;
using kernels::on_cuda::element;
using kernels::on_cuda::rounded;

// A block of scores_kernel has a tile of 64 x 64 scores, a thread 4 x 4 of them, `side` apart; a
// block of outputs_kernel has 32 x 64 outputs, a thread 2 x 4 of them.
constexpr int tile = 64, depth = 16, side = 16, each = tile / side, threads = side * side;
constexpr int row_tile = 32, each_row = row_tile / side;

/// What all keys of a row amount to.
struct Row {
  double largest, sum;          // of its scores; of exp(score - largest)
  double score, spread, moved;  // as in RowSensitivity
  float plain_largest, plain_sum;
};

/// In device memory, for `rows` rows.
struct Scratch {
  double* scores;      // rows x seq; what a mask hides stays unwritten
  double* magnitudes;  // rows x tiles of seq: the largest sum |q k| / sqrt(dim) in each tile
  double* sizes;       // rows x dim: sum p |v|
  double* squares;     // rows x dim: r^2
  Row* rows;
  float* plain_scores;  // rows x seq
  float* plain_o;       // rows x dim
};

inline std::int64_t key_tiles(std::int64_t seq) { return (seq + tile - 1) / tile; }

inline std::size_t scratch_bytes(const Problem& problem, std::int64_t rows) {
  const std::int64_t of_row =
      problem.seq * 12 + key_tiles(problem.seq) * 8 + problem.dim * 20 + std::int64_t{sizeof(Row)};
  return static_cast<std::size_t>(rows * of_row);
}

inline Scratch scratch_in(void* memory, const Problem& problem, std::int64_t rows) {
  auto* at = static_cast<std::byte*>(memory);
  const auto take = [&](std::int64_t bytes) {
    std::byte* const taken = at;
    at += rows * bytes;
    return taken;
  };
  Scratch scratch{};
  scratch.scores = reinterpret_cast<double*>(take(problem.seq * 8));
  scratch.magnitudes = reinterpret_cast<double*>(take(key_tiles(problem.seq) * 8));
  scratch.sizes = reinterpret_cast<double*>(take(problem.dim * 8));
  scratch.squares = reinterpret_cast<double*>(take(problem.dim * 8));
  scratch.rows = reinterpret_cast<Row*>(take(std::int64_t{sizeof(Row)}));
  scratch.plain_scores = reinterpret_cast<float*>(take(problem.seq * 4));
  scratch.plain_o = reinterpret_cast<float*>(take(problem.dim * 4));
  return scratch;
}

/// Keys that query i sees: the first ones.
__device__ inline std::int64_t seen(const Problem& problem, std::int64_t i) {
  return problem.mask == Mask::causal ? i + 1 : problem.seq;
}

/// Row 0 of the keys and values that a head of queries sees.
__device__ inline std::int64_t first_key(const Problem& problem, std::int64_t head) {
  const std::int64_t group =
      problem.kv_heads == 0 ? 1 : problem.heads / problem.kv_heads;  // as Problem::group()
  return head / group * problem.seq;
}

struct Largest {
  template <class Number>
  __device__ Number operator()(Number a, Number b) const {
    return a < b ? b : a;
  }
};
struct Sum {
  template <class Number>
  __device__ Number operator()(Number a, Number b) const {
    return a + b;
  }
};
/// Over the lanes of a warp, or of each half of one (`lanes` 16), on all of them.
template <int lanes = 32, class Number, class Combine>
__device__ inline Number over_warp(Number value, Combine combine) {
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}

/// Scores q k' / sqrt(dim), exact and plain. Blocks: tiles of keys, tiles of queries, heads.
static __global__ void __launch_bounds__(threads, 1)
    scores_kernel(Problem problem, Inputs inputs, Queries queries, Scratch scratch) {
  __shared__ double q[depth][tile], k[depth][tile];
  __shared__ float plain_q[depth][tile], plain_k[depth][tile];
  const std::int64_t seq = problem.seq, dim = problem.dim;
  const std::int64_t j0 = std::int64_t{blockIdx.x} * tile, i0 = std::int64_t{blockIdx.y} * tile;
  const std::int64_t head = (queries.head + blockIdx.z) * seq,  // its first query
      keys_of_head = first_key(problem, queries.head + blockIdx.z);
  const std::int64_t last = min(i0 + tile, queries.count) - 1;
  if (j0 >= seen(problem, queries[last])) return;
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;

  double score[each][each], magnitude[each][each];
  float plain[each][each];
#pragma unroll
  for (int r = 0; r < each; ++r)
#pragma unroll
    for (int s = 0; s < each; ++s) score[r][s] = magnitude[r][s] = plain[r][s] = 0;
  for (std::int64_t d0 = 0; d0 < dim; d0 += depth) {
    for (int index = static_cast<int>(threadIdx.x); index < depth * tile; index += threads) {
      const int e = index / tile, at = index % tile;
      const std::int64_t i = i0 + at, j = j0 + at, d = d0 + e;
      const float of_q =
          i < queries.count && d < dim ? element(inputs.q, (head + queries[i]) * dim + d) : 0.0f;
      const float of_k =
          j < seq && d < dim ? element(inputs.k, (keys_of_head + j) * dim + d) : 0.0f;
      q[e][at] = plain_q[e][at] = of_q;
      k[e][at] = plain_k[e][at] = of_k;
    }
    __syncthreads();
    for (int e = 0; e < depth; ++e) {
#pragma unroll
      for (int r = 0; r < each; ++r) {
#pragma unroll
        for (int s = 0; s < each; ++s) {
          const double left = q[e][y + r * side], right = k[e][x + s * side];
          score[r][s] += left * right;
          magnitude[r][s] += fabs(left) * fabs(right);
          plain[r][s] += plain_q[e][y + r * side] * plain_k[e][x + s * side];
        }
      }
    }
    __syncthreads();
  }

  const double scale = 1 / sqrt(static_cast<double>(dim));
  const float plain_scale = 1 / sqrtf(static_cast<float>(dim));
#pragma unroll
  for (int r = 0; r < each; ++r) {
    const std::int64_t i = i0 + y + r * side, row = blockIdx.z * queries.count + i;
    const bool inside = i < queries.count;
    const std::int64_t keys = inside ? seen(problem, queries[i]) : 0;
    double most = 0;
#pragma unroll
    for (int s = 0; s < each; ++s) {
      const std::int64_t j = j0 + x + s * side;
      if (j >= keys) continue;
      scratch.scores[row * seq + j] = score[r][s] * scale;
      scratch.plain_scores[row * seq + j] = rounded(plain[r][s] * plain_scale, problem.dtype);
      most = fmax(most, magnitude[r][s] * scale);
    }
    most = over_warp<side>(most, Largest{});
    if (x == 0 && inside) scratch.magnitudes[row * gridDim.x + blockIdx.x] = most;
  }
}

/// What the scores of each row amount to; a warp has a row.
static __global__ void __launch_bounds__(threads)
    softmax_kernel(Problem problem, Queries queries, Scratch scratch) {
  const std::int64_t row =
      (std::int64_t{blockIdx.x} * threads + static_cast<int>(threadIdx.x)) / 32;
  if (row >= queries.rows()) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t keys = seen(problem, queries[row % queries.count]),
                     tiles = (problem.seq + tile - 1) / tile;
  const double* const scores = scratch.scores + row * problem.seq;
  const float* const plain_scores = scratch.plain_scores + row * problem.seq;

  double magnitude = 0;
  for (std::int64_t t = lane; t < (keys + tile - 1) / tile; t += 32)
    magnitude = fmax(magnitude, scratch.magnitudes[row * tiles + t]);
  double largest = -INFINITY;
  float plain_largest = -INFINITY;
  for (std::int64_t j = lane; j < keys; j += 32) {
    largest = fmax(largest, scores[j]);
    plain_largest = fmaxf(plain_largest, plain_scores[j]);
  }
  largest = over_warp(largest, Largest{});
  plain_largest = over_warp(plain_largest, Largest{});

  double sum = 0, spread = 0, moved = 0;
  float plain_sum = 0;
  for (std::int64_t j = lane; j < keys; j += 32) {
    const double weight = exp(scores[j] - largest), shifted = scores[j] * weight;
    sum += weight;
    spread += weight * weight;
    moved += shifted * shifted;
    plain_sum += expf(plain_scores[j] - plain_largest);
  }
  Row of;
  of.largest = largest;
  of.sum = over_warp(sum, Sum{});
  of.score = over_warp(magnitude, Largest{});
  of.spread = over_warp(spread, Sum{}) / (of.sum * of.sum);
  of.moved = over_warp(moved, Sum{}) / (of.sum * of.sum);
  of.plain_largest = plain_largest;
  of.plain_sum = over_warp(plain_sum, Sum{});
  if (lane == 0) scratch.rows[row] = of;
}

/// Outputs sum p v, exact and plain, and their sensitivities. Blocks: tiles of the head's
/// dimensions, tiles of queries, heads.
static __global__ void __launch_bounds__(threads, 1)
    outputs_kernel(Problem problem, Inputs inputs, Queries queries, Scratch scratch, double* o) {
  __shared__ double p[depth][row_tile], moved[depth][row_tile], v[depth][tile];
  __shared__ float plain_p[depth][row_tile], plain_v[depth][tile];
  const std::int64_t seq = problem.seq, dim = problem.dim;
  const std::int64_t d0 = std::int64_t{blockIdx.x} * tile, i0 = std::int64_t{blockIdx.y} * row_tile;
  const std::int64_t head = first_key(problem, queries.head + blockIdx.z),
                     row0 = blockIdx.z * queries.count;
  const std::int64_t last = min(i0 + row_tile, queries.count) - 1,
                     keys = seen(problem, queries[last]);
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;

  // r^2 = sum p^2 v^2 + sum (s p)^2 (v - o)^2 = squares - 2 o cross + o^2 sum (s p)^2
  double output[each_row][each], size[each_row][each], squares[each_row][each],
      cross[each_row][each];
  float plain[each_row][each];
#pragma unroll
  for (int r = 0; r < each_row; ++r)
#pragma unroll
    for (int s = 0; s < each; ++s)
      output[r][s] = size[r][s] = squares[r][s] = cross[r][s] = plain[r][s] = 0;
  for (std::int64_t j0 = 0; j0 < keys; j0 += depth) {
    for (int index = static_cast<int>(threadIdx.x); index < depth * tile; index += threads) {
      const std::int64_t j = j0 + index / tile, d = d0 + index % tile;
      const float of_v = j < seq && d < dim ? element(inputs.v, (head + j) * dim + d) : 0.0f;
      v[index / tile][index % tile] = plain_v[index / tile][index % tile] = of_v;
    }
    for (int index = static_cast<int>(threadIdx.x); index < depth * row_tile; index += threads) {
      const int e = index % depth, at = index / depth;  // neighbours read neighbouring scores
      const std::int64_t i = i0 + at, j = j0 + e, row = row0 + i;
      double probability = 0, shifted = 0;
      float plain_probability = 0;
      if (i < queries.count && j < seen(problem, queries[i])) {
        const Row& of = scratch.rows[row];
        const double score = scratch.scores[row * seq + j];
        probability = exp(score - of.largest) / of.sum;
        shifted = score * probability;
        plain_probability =
            rounded(expf(scratch.plain_scores[row * seq + j] - of.plain_largest) / of.plain_sum,
                    problem.dtype);
      }
      p[e][at] = probability;
      moved[e][at] = shifted * shifted;
      plain_p[e][at] = plain_probability;
    }
    __syncthreads();
    for (int e = 0; e < depth; ++e) {
#pragma unroll
      for (int r = 0; r < each_row; ++r) {
        const int at = y + r * side;
        const double weight = p[e][at], weight_moved = moved[e][at];
        const double both = weight * weight + weight_moved;
#pragma unroll
        for (int s = 0; s < each; ++s) {
          const double value = v[e][x + s * side];
          output[r][s] += weight * value;
          size[r][s] += weight * fabs(value);
          squares[r][s] += both * (value * value);
          cross[r][s] += weight_moved * value;
          plain[r][s] += plain_p[e][at] * plain_v[e][x + s * side];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < each_row; ++r) {
#pragma unroll
    for (int s = 0; s < each; ++s) {
      const std::int64_t i = i0 + y + r * side, d = d0 + x + s * side, row = row0 + i;
      if (i >= queries.count || d >= dim) continue;
      const double right = output[r][s];
      o[row * dim + d] = right;
      scratch.sizes[row * dim + d] = size[r][s];
      scratch.squares[row * dim + d] = fmax(
          0.0, squares[r][s] - 2 * right * cross[r][s] + right * right * scratch.rows[row].moved);
      scratch.plain_o[row * dim + d] = rounded(plain[r][s], problem.dtype);
    }
  }
}

}  // namespace ridgeline::attention::on_cuda
