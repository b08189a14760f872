#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/rows/cuda/row.cuh"

// What backward kernels share whose blocks stay, one row after the other, with the gradients of
// gamma and beta of their rows in registers. At the end each writes its own down, and a second
// kernel adds them up, in the order of the blocks: the same GPU gives the same bits each time.
namespace ridgeline::rows::on_cuda {

inline constexpr int backward_threads = 512, most_units = 160;

/// How a problem is spread: threads of a block with so many accesses each, blocks an SM holds.
struct Spread {
  int each;
  unsigned threads, per_unit;
};
inline Spread spread_of(const Problem& problem) {
  const int vectors = vectors_of_row(problem), each = vectors <= 2 * backward_threads ? 2 : 4;
  const unsigned threads = std::max(threads_for(vectors, each), 32u);
  return {each, threads, std::min(std::max(backward_threads / threads, 1u), 8u)};
}
/// A block has eight rows or more, as far as there are: its sums are to be worth adding up.
inline unsigned blocks_of(const Problem& problem, int units) {
  return static_cast<unsigned>(std::min<std::int64_t>(
      (problem.rows + 7) / 8,
      std::int64_t{std::min(units, most_units)} * spread_of(problem).per_unit));
}
/// Sums of all blocks that there may be.
inline std::size_t sums_of_blocks(const Problem& problem) {
  return sizeof(float) * blocks_of(problem, most_units) *
         static_cast<std::size_t>(problem.sides()) *
         static_cast<std::size_t>(problem.side_stride());
}

/// Rows of `most` accesses a thread at most.
inline device::Support rows_of_blocks(const Problem& problem, int most) {
  return whole_vectors(problem, {Operation::rms_norm_backward, Operation::layer_norm_backward},
                       most * backward_threads);
}

/// The gradients so far of the columns that a thread has.
template <class Element, bool layer, int count>
struct Columns {
  static constexpr int lanes = lanes_of<Element>;
  float dgamma[count][lanes] = {}, dbeta[layer ? count : 1][lanes] = {};

  /// Adds access j of a row to the gradients, and to the row's sums of c h and c.
  __device__ __forceinline__ void add(int j, uint4 x, uint4 dy, uint4 gamma, float rstd, float mean,
                                      float2& sums) {
    const Element* const type = nullptr;
    float value[lanes], gradient[lanes], factor[lanes];
    unpack(type, x, value);
    unpack(type, dy, gradient);
    unpack(type, gamma, factor);
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      const float h = layer ? (value[i] - mean) * rstd : value[i] * rstd,
                  c = gradient[i] * factor[i];
      dgamma[j][i] += gradient[i] * h;
      sums.x += c * h;
      if constexpr (layer) {
        dbeta[j][i] += gradient[i];
        sums.y += c;
      }
    }
  }

  /// An access of dx; `means` are those of c h and c.
  __device__ __forceinline__ static uint4 dx(uint4 x, uint4 dy, uint4 gamma, float rstd, float mean,
                                             float2 means) {
    const Element* const type = nullptr;
    float value[lanes], gradient[lanes], factor[lanes];
    unpack(type, x, value);
    unpack(type, dy, gradient);
    unpack(type, gamma, factor);
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      const float h = layer ? (value[i] - mean) * rstd : value[i] * rstd,
                  c = gradient[i] * factor[i];
      value[i] = rstd * ((layer ? c - means.y : c) - h * means.x);
    }
    return pack(type, value);
  }

  /// Of access j four columns, from `i` on: side 0 is dgamma, 1 is dbeta.
  __device__ __forceinline__ float4 four(int j, int side, int i) const {
    if (layer && side == 1)
      return make_float4(dbeta[j][i], dbeta[j][i + 1], dbeta[j][i + 2], dbeta[j][i + 3]);
    return make_float4(dgamma[j][i], dgamma[j][i + 1], dgamma[j][i + 2], dgamma[j][i + 3]);
  }
  /// Access j, which is number `at` of a row, to its place among `to`, a block's sums.
  __device__ __forceinline__ void write(float* to, std::int64_t stride, int j, int at) const {
#pragma unroll
    for (int side = 0; side < (layer ? 2 : 1); ++side)
#pragma unroll
      for (int i = 0; i < lanes; i += 4)
        __stcg(reinterpret_cast<float4*>(to + side * stride + at * lanes + i), four(j, side, i));
  }
  /// Where the sums of a block begin, or of several that have been added up.
  __device__ __forceinline__ static float* place(float* sums, std::int64_t stride, unsigned block) {
    return sums + std::int64_t{block} * (layer ? 2 : 1) * stride;
  }
};

/// A block sums 32 columns of one side over all blocks, of which its warps take turns. All loads of
/// a warp are under way together: there is no other work to hide them behind. It may be started
/// early.
template <int groups>
__global__ void __launch_bounds__(groups * 32, 2048 / (groups * 32))
    sum_of_blocks_kernel(int blocks, std::int64_t cols, std::int64_t stride, const float* sums,
                         float* sides) {
  __shared__ float of_warp[groups][32];
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + lane(), side = blockIdx.y;
  constexpr int together = 9;  // of which 132 blocks take one round
  const std::int64_t of_block = std::int64_t{gridDim.y} * stride;
  const float* from = sums + warp() * of_block + side * stride + col;
  float sum = 0;
  ptx::next_kernel_may_begin();
  ptx::previous_kernel_wait();
  if (col < cols) {
    for (int first = warp(); first < blocks; first += together * groups) {
      float part[together] = {};
#pragma unroll
      for (int i = 0; i < together; ++i, from += groups * of_block)
        if (first + i * groups < blocks) part[i] = __ldcg(from);
#pragma unroll
      for (int i = 0; i < together; ++i) sum += part[i];
    }
  }
  of_warp[warp()][lane()] = sum;
  __syncthreads();
  if (warp() != 0 || col >= cols) return;
#pragma unroll
  for (int group = 1; group < groups; ++group) sum += of_warp[group][lane()];
  sides[side * stride + col] = sum;
}

inline constexpr int summing_warps = 16;
/// `early`: while the kernel before ends, which says when.
inline void start_sum_of_blocks(const Problem& problem, const Operands& operands, unsigned blocks,
                                device::Stream& stream, bool early) {
  device::launch(
      {.grid = dim3(device::blocks_for(problem.cols, 32), static_cast<unsigned>(problem.sides())),
       .block = dim3(summing_warps * 32),
       .early = early},
      stream, sum_of_blocks_kernel<summing_warps>, static_cast<int>(blocks), problem.cols,
      problem.side_stride(), static_cast<const float*>(operands.workspace),
      operands.side(problem, 0));
}

/// The means of c h and, of a layer, c over a row of which a warp has `sums`; `shared` holds a pair
/// per warp, and is another one for the next row.
template <bool layer>
__device__ __forceinline__ float2 means_over_block(float2 sums, float per_col, float2* shared) {
  const auto over_warp = [](float2 of) {
    return layer ? sum_over_warp(of) : make_float2(sum_over_warp(of.x), 0);
  };
  sums = over_warp(sums);
  if (lane() == 0) shared[warp()] = sums;
  __syncthreads();
  sums = over_warp(lane() < warps() ? shared[lane()] : make_float2(0, 0));
  return make_float2(sums.x * per_col, sums.y * per_col);
}

}  // namespace ridgeline::rows::on_cuda
