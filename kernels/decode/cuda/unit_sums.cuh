#pragma once

#include <cstdint>

#include "kernels/decode/cuda/unit.cuh"
#include "kernels/ptx/exp2.cuh"
#include "kernels/ptx/mma.cuh"

// What a warp makes of units. Keys are the 16 rows of mma.m16n8k16 and queries its 8 columns, S' =
// K Q', then dimensions are the rows: O' = V' P'. So eight queries fill the tensor cores' columns
// that padding queries to 16 rows would leave half empty.
namespace ridgeline::decode::on_cuda {

constexpr int most_queries = 8;  // of a block

/// With g and t the lane's row and column of a fragment (mma.cuh), it has queries 2t and 2t + 1.
template <class Type, int dim>
class UnitSums {
 public:
  /// `q`: pairs of elements of the first of `present` queries; others count as zeros.
  __device__ __forceinline__ UnitSums(const unsigned* q, int present) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        query_[d][i] = g < present ? q[g * (dim / 2) + 8 * d + 4 * i + t] : 0u;
    }
  }

  /// Adds a unit, of which `inside` keys exist: at least one.
  __device__ __forceinline__ void add(const unsigned short* unit, float factor,
                                      std::int64_t inside) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4;
    float scores[4] = {}, odd[4] = {};  // two sums, so that products wait less for each other
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
      unsigned keys[4];
      ptx::load_matrices(keys, unit + place(lane % 16, 2 * d + lane / 16));
      ptx::mma_16x8x16(Type{}, d % 2 == 0 ? scores : odd, keys, query_[d][0], query_[d][1]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[i] = (scores[i] + odd[i]) * factor;
    if (inside < unit_keys) {
      if (g >= inside) scores[0] = scores[1] = -INFINITY;
      if (g + 8 >= inside) scores[2] = scores[3] = -INFINITY;
    }
    float shrink[2];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      float most = fmaxf(scores[q], scores[q + 2]);
#pragma unroll
      for (int step = 4; step < 32; step *= 2)
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, step));
      most = fmaxf(most, largest_[q]);
      shrink[q] = ptx::exp2_approximate(largest_[q] - most);
      largest_[q] = most;
      scores[q] = ptx::exp2_approximate(scores[q] - most);
      scores[q + 2] = ptx::exp2_approximate(scores[q + 2] - most);
      sum_[q] = sum_[q] * shrink[q] + scores[q] + scores[q + 2];
    }
    // A pair is two queries of a key, and shall be two keys of a query.
    const unsigned low = ptx::transpose_matrix(ptx::pack(Type{}, scores[0], scores[1])),
                   high = ptx::transpose_matrix(ptx::pack(Type{}, scores[2], scores[3]));
    const unsigned short* const v = unit + unit_elements<dim> / 2;
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
      unsigned values[4];
      ptx::load_matrices_transposed(values,
                                    v + place(lane % 8 + lane / 16 * 8, 2 * d + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i) output_[d][i] *= shrink[i % 2];
      ptx::mma_16x8x16(Type{}, output_[d], values, low, high);
    }
  }

  /// True, once what all lanes have read of the units so far has come from shared memory. Reads may
  /// wait for long, and a copy that is started after them would overtake them: it must depend on
  /// what they bring. Each product has all parts of its values.
  __device__ __forceinline__ bool all_have_read() const {
    __syncwarp();
    float most = output_[0][0];
#pragma unroll
    for (int d = 1; d < dim / 16; ++d) most = fmaxf(most, output_[d][0]);
    return !__any_sync(0xFFFFFFFFu, __float_as_uint(most) == 0xFFFFFFFFu);  // no NaN that is made
  }

  /// Stores what the warp has: rows of `outputs` (`stride` floats apart) and pairs (largest score,
  /// sum), one a query.
  __device__ __forceinline__ void put(float* outputs, int stride, float2* sums) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int q = 0; q < 2; ++q) {
#pragma unroll
      for (int step = 4; step < 32; step *= 2)
        sum_[q] += __shfl_xor_sync(0xFFFFFFFFu, sum_[q], step);
      if (g == 0) sums[2 * t + q] = make_float2(largest_[q], sum_[q]);
    }
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        outputs[(2 * t + i % 2) * stride + 16 * d + g + i / 2 * 8] = output_[d][i];
    }
  }

 private:
  unsigned query_[dim / 16][2];
  float output_[dim / 16][4] = {}, largest_[2] = {-INFINITY, -INFINITY}, sum_[2] = {};
};

}  // namespace ridgeline::decode::on_cuda
