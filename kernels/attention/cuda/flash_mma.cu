#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/mma.cuh"

// `flash` on tensor cores (mma.sync), for 16-bit types: a warp owns 16 queries, so that the softmax
// of a row stays within four lanes, and its scores turn into the left factor of the second product
// without leaving the registers. Values are copied while the scores are computed, and the next keys
// while the outputs are. Bound by the tensor cores' latency: a warp waits for its own softmax, and
// with 64 keys per tile little else is under way.

namespace ridgeline::attention::on_cuda {
namespace {

constexpr int warps = 4, threads = 32 * warps;
constexpr int queries = 16 * warps, keys = 64;

/// Dynamic shared memory of a block: tiles of queries, keys and values, rows padded by 16 bytes so
/// that the eight rows of a matrix fall into different banks.
template <int dim>
struct Shared {
  static constexpr int stride = dim + 8;
  static constexpr int q = 0, k = queries * stride, v = k + keys * stride, size = v + keys * stride;
};

/// Starts copying rows first .. first + rows - 1 of a seq x dim matrix, with zeros beyond the end,
/// and closes the group.
template <int dim, int rows>
__device__ __forceinline__ void copy_rows(const unsigned short* matrix, std::int64_t seq,
                                          std::int64_t first, unsigned short* to) {
#pragma unroll
  for (int piece = 0; piece < rows * dim / 8 / threads; ++piece) {
    const int index = static_cast<int>(threadIdx.x) + piece * threads, row = index / (dim / 8),
              column = index % (dim / 8) * 8;
    const bool inside = first + row < seq;
    ptx::copy_async_16(to + row * Shared<dim>::stride + column,
                       matrix + (inside ? first + row : 0) * dim + column, inside);
  }
  ptx::copy_async_commit();
}

/// The largest of four neighbouring lanes' values, or their sum, on all four.
__device__ __forceinline__ float largest_of_4(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, 2));
}
__device__ __forceinline__ float sum_of_4(float value) {
  value += __shfl_xor_sync(0xFFFFFFFFu, value, 1);
  return value + __shfl_xor_sync(0xFFFFFFFFu, value, 2);
}

template <class Type, int dim>
__global__ void __launch_bounds__(threads, 2)
    flash_mma_kernel(std::int64_t seq, bool causal, float factor, const unsigned short* q,
                     const unsigned short* k, const unsigned short* v, unsigned short* o,
                     unsigned group) {
  constexpr int stride = Shared<dim>::stride;
  RIDGELINE_DYNAMIC_SHARED(unsigned short, shared);
  unsigned short *const q_tile = shared + Shared<dim>::q, *const k_tile = shared + Shared<dim>::k,
                        *const v_tile = shared + Shared<dim>::v;
  // Blocks: heads, tiles of queries. Causal: the last queries see most keys, so they start first.
  const std::int64_t offset = blockIdx.x * seq * dim;
  k += blockIdx.x / group * seq * dim;
  v += blockIdx.x / group * seq * dim;
  const std::int64_t first_query = std::int64_t{gridDim.y - 1 - blockIdx.y} * queries;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;

  copy_rows<dim, queries>(q + offset, seq, first_query, q_tile);
  copy_rows<dim, keys>(k, seq, 0, k_tile);
  ptx::copy_async_wait<1>();
  __syncthreads();
  unsigned query[dim / 16][4];
#pragma unroll
  for (int d = 0; d < dim / 16; ++d)
    ptx::load_matrices(query[d],
                       q_tile + (16 * warp + lane % 16) * stride + 16 * d + lane / 16 * 8);

  // Of rows g and g + 8 of the warp's 16 queries.
  float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  float output[dim / 8][4] = {};
  const std::int64_t seen = causal ? min(seq, first_query + queries) : seq;
  for (std::int64_t first_key = 0; first_key < seen; first_key += keys) {
    copy_rows<dim, keys>(v, seq, first_key, v_tile);
    ptx::copy_async_wait<1>();
    __syncthreads();  // the keys are there
    float scores[keys / 8][4] = {};
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
#pragma unroll
      for (int j = 0; j < keys / 16; ++j) {
        unsigned key[4];
        ptx::load_matrices(
            key, k_tile + (16 * j + lane / 16 * 8 + lane % 8) * stride + 16 * d + lane / 8 % 2 * 8);
        ptx::mma_16x8x16(Type{}, scores[2 * j], query[d], key[0], key[1]);
        ptx::mma_16x8x16(Type{}, scores[2 * j + 1], query[d], key[2], key[3]);
      }
    }
    __syncthreads();  // the keys have been read
    if (first_key + keys < seen)
      copy_rows<dim, keys>(k, seq, first_key + keys, k_tile);
    else
      ptx::copy_async_commit();  // an empty group, so that the wait below counts the same

    // The first tile holds key 0, which every query sees, so `largest` is finite from then on.
    const int last_key = static_cast<int>(min(seq - 1 - first_key, std::int64_t{keys}));
    const int diagonal =
        causal ? static_cast<int>(min(first_query - first_key, std::int64_t{keys})) : keys;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int last_seen = min(last_key, diagonal + 16 * warp + g + 8 * half);
      float most = largest[half];
#pragma unroll
      for (int j = 0; j < keys / 8; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& score = scores[j][2 * half + e];
          score = 8 * j + 2 * t + e > last_seen ? -INFINITY : score * factor;
          most = fmaxf(most, score);
        }
      }
      most = largest_of_4(most);
      const float shrink = exp2f(largest[half] - most);
      largest[half] = most;
      sum[half] *= shrink;
#pragma unroll
      for (int j = 0; j < keys / 8; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& score = scores[j][2 * half + e];
          score = exp2f(score - most);
          sum[half] += score;
        }
      }
#pragma unroll
      for (int d = 0; d < dim / 8; ++d) {
        output[d][2 * half] *= shrink;
        output[d][2 * half + 1] *= shrink;
      }
    }

    ptx::copy_async_wait<1>();
    __syncthreads();  // the values are there
#pragma unroll
    for (int j = 0; j < keys / 16; ++j) {
      const unsigned p[4] = {ptx::pack(Type{}, scores[2 * j][0], scores[2 * j][1]),
                             ptx::pack(Type{}, scores[2 * j][2], scores[2 * j][3]),
                             ptx::pack(Type{}, scores[2 * j + 1][0], scores[2 * j + 1][1]),
                             ptx::pack(Type{}, scores[2 * j + 1][2], scores[2 * j + 1][3])};
#pragma unroll
      for (int d = 0; d < dim / 16; ++d) {
        unsigned value[4];
        ptx::load_matrices_transposed(
            value, v_tile + (16 * j + lane % 16) * stride + 16 * d + lane / 16 * 8);
        ptx::mma_16x8x16(Type{}, output[2 * d], p, value[0], value[1]);
        ptx::mma_16x8x16(Type{}, output[2 * d + 1], p, value[2], value[3]);
      }
    }
    __syncthreads();  // the values have been read
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float inverse = 1.0f / sum_of_4(sum[half]);
    const std::int64_t row = first_query + 16 * warp + g + 8 * half;
    if (row >= seq) continue;
#pragma unroll
    for (int d = 0; d < dim / 8; ++d)
      *reinterpret_cast<unsigned*>(o + offset + row * dim + 8 * d + 2 * t) =
          ptx::pack(Type{}, output[d][2 * half] * inverse, output[d][2 * half + 1] * inverse);
  }
}

template <class Type, int dim>
void launch_for(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t tiles = (problem.seq + queries - 1) / queries;
  // Scores in multiples of log 2, for exp2f.
  const float factor = 1.44269504f / sqrtf(static_cast<float>(dim));
  device::launch(
      {.grid = dim3(static_cast<unsigned>(problem.all_heads()), static_cast<unsigned>(tiles)),
       .block = dim3(threads),
       .shared_bytes = Shared<dim>::size * sizeof(unsigned short)},
      stream, flash_mma_kernel<Type, dim>, problem.seq, problem.mask == Mask::causal, factor,
      static_cast<const unsigned short*>(operands.q),
      static_cast<const unsigned short*>(operands.k),
      static_cast<const unsigned short*>(operands.v), static_cast<unsigned short*>(operands.o),
      static_cast<unsigned>(problem.group()));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dtype == DType::f16)
    problem.dim == 64 ? launch_for<ptx::F16, 64>(problem, operands, stream)
                      : launch_for<ptx::F16, 128>(problem, operands, stream);
  else
    problem.dim == 64 ? launch_for<ptx::Bf16, 64>(problem, operands, stream)
                      : launch_for<ptx::Bf16, 128>(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability < 80)
    return device::Support::unsupported("mma of bf16 needs compute capability 8.0");
  return check(problem, {DType::bf16, DType::f16}, /*groups_queries=*/true);
}

}  // namespace

Variant flash_mma() {
  return {"online softmax on tensor cores: scores stay in registers",
          {DType::bf16, DType::f16},
          supports,
          launch,
          nullptr,
          {.sectors_per_load = 18, .sectors_per_store = 8, .wavefronts_per_shared_request = 4},
          /*groups_queries=*/true};
}

}  // namespace ridgeline::attention::on_cuda
