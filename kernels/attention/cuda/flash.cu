#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/attention/attention.hpp"

// One kernel, where `standard` takes three: a block keeps 64 queries and goes through the keys in
// tiles of 64. It keeps, for each query, the largest score, the sum and the output so far, scaled
// anew when a larger score appears (online softmax), so that scores never leave the SM and memory
// grows with seq instead of its square. Tiles above the diagonal are skipped. Keys and values take
// turns in one shared tile, so that two blocks fit on an SM. Bound by shared memory: 8 16-byte
// loads feed 64 multiply-adds of the scores, 12 feed 128 of the outputs.

namespace ridgeline::attention::on_cuda {
namespace {

constexpr int queries = 64, keys = 64, threads = 256;
constexpr int score_stride = keys + 4;

/// Dynamic shared memory of a block, in floats: queries and a tile of keys or values, rows padded
/// by 16 bytes so that neighbouring rows fall into different banks, and the probabilities.
template <int dim>
struct Shared {
  static constexpr int stride = dim + 4;
  static constexpr int q = 0, kv = queries * stride, p = kv + keys * stride,
                       size = p + queries * score_stride;
};

/// Copies rows first .. first + rows - 1 of a seq x dim matrix to shared memory, times factor, with
/// zeros beyond the end.
template <int dim, int rows>
__device__ __forceinline__ void load_rows(const float* matrix, std::int64_t seq, std::int64_t first,
                                          float factor, float* to) {
#pragma unroll 2
  for (int index = threadIdx.x; index < rows * dim / 4; index += threads) {
    const int row = index / (dim / 4), column = index % (dim / 4) * 4;
    float4 four = make_float4(0, 0, 0, 0);
    if (first + row < seq)
      four = *reinterpret_cast<const float4*>(matrix + (first + row) * dim + column);
    *reinterpret_cast<float4*>(to + row * Shared<dim>::stride + column) =
        make_float4(four.x * factor, four.y * factor, four.z * factor, four.w * factor);
  }
}

__device__ __forceinline__ float4 load4(const float* from) {
  return *reinterpret_cast<const float4*>(from);
}

/// Thread (x, y) of 16 x 16 has the scores of queries 4y .. 4y + 3 and keys
/// x, x + 16, x + 32, x + 48, and the outputs of these queries in dimensions 4x .. 4x + 3 of each
/// 64.
template <int dim>
__global__ void __launch_bounds__(threads, 2)
    flash_kernel(std::int64_t seq, bool causal, float factor, const float* q, const float* k,
                 const float* v, float* o, unsigned group) {
  constexpr int stride = Shared<dim>::stride;
  RIDGELINE_DYNAMIC_SHARED(float, shared);
  float *const q_tile = shared + Shared<dim>::q, *const kv_tile = shared + Shared<dim>::kv,
               *const p_tile = shared + Shared<dim>::p;
  // Blocks: heads, tiles of queries. Causal: the last queries see most keys, so they start first.
  const std::int64_t offset = std::int64_t{blockIdx.x} * seq * dim;
  k += blockIdx.x / group * seq * dim;
  v += blockIdx.x / group * seq * dim;
  const std::int64_t first_query = std::int64_t{gridDim.y - 1 - blockIdx.y} * queries;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  load_rows<dim, queries>(q + offset, seq, first_query, factor, q_tile);

  float largest[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, sum[4] = {};
  float4 output[4][dim / 64] = {};
  const std::int64_t seen = causal ? min(seq, first_query + queries) : seq;
  for (std::int64_t first_key = 0; first_key < seen; first_key += keys) {
    __syncthreads();  // the values of the last round have been read
    load_rows<dim, keys>(k, seq, first_key, 1.0f, kv_tile);
    __syncthreads();
    float scores[4][4] = {};
#pragma unroll 2
    for (int d = 0; d < dim; d += 4) {
      float4 key[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) key[j] = load4(kv_tile + (x + 16 * j) * stride + d);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float4 query = load4(q_tile + (4 * y + i) * stride + d);
#pragma unroll
        for (int j = 0; j < 4; ++j)
          scores[i][j] +=
              query.x * key[j].x + query.y * key[j].y + query.z * key[j].z + query.w * key[j].w;
      }
    }
    // The first tile holds key 0, which every query sees, so `largest` is finite from then on.
    const int last_key = static_cast<int>(min(seq - 1 - first_key, std::int64_t{keys}));
    const int diagonal =
        causal ? static_cast<int>(min(first_query - first_key, std::int64_t{keys})) : keys;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int last_seen = min(last_key, diagonal + 4 * y + i);
      float most = largest[i];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (x + 16 * j > last_seen) scores[i][j] = -INFINITY;
        most = fmaxf(most, scores[i][j]);
      }
#pragma unroll
      for (int step = 8; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, step));
      const float shrink = exp2f(largest[i] - most);
      largest[i] = most;
      sum[i] *= shrink;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float p = exp2f(scores[i][j] - most);
        sum[i] += p;
        p_tile[(4 * y + i) * score_stride + x + 16 * j] = p;
      }
#pragma unroll
      for (int part = 0; part < dim / 64; ++part) {
        output[i][part].x *= shrink;
        output[i][part].y *= shrink;
        output[i][part].z *= shrink;
        output[i][part].w *= shrink;
      }
    }
    __syncthreads();  // the keys have been read, the probabilities are there
    load_rows<dim, keys>(v, seq, first_key, 1.0f, kv_tile);
    __syncthreads();
#pragma unroll 2
    for (int j = 0; j < keys; j += 4) {
      float4 p[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) p[i] = load4(p_tile + (4 * y + i) * score_stride + j);
#pragma unroll
      for (int part = 0; part < dim / 64; ++part) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float4 value = load4(kv_tile + (j + e) * stride + 64 * part + 4 * x);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const float weight = e == 0 ? p[i].x : e == 1 ? p[i].y : e == 2 ? p[i].z : p[i].w;
            output[i][part].x += weight * value.x;
            output[i][part].y += weight * value.y;
            output[i][part].z += weight * value.z;
            output[i][part].w += weight * value.w;
          }
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float total = sum[i];
#pragma unroll
    for (int step = 8; step > 0; step /= 2) total += __shfl_xor_sync(0xFFFFFFFFu, total, step);
    const float inverse = 1.0f / total;
    const std::int64_t query = first_query + 4 * y + i;
    if (query >= seq) continue;
#pragma unroll
    for (int part = 0; part < dim / 64; ++part) {
      const float4 value = output[i][part];
      reinterpret_cast<float4*>(o + offset)[query * (dim / 4) + 16 * part + x] =
          make_float4(value.x * inverse, value.y * inverse, value.z * inverse, value.w * inverse);
    }
  }
}

template <int dim>
void launch_for(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t tiles = (problem.seq + queries - 1) / queries;
  // Scores in multiples of log 2, for exp2f.
  const float factor = 1.44269504f / sqrtf(static_cast<float>(dim));
  device::launch(
      {.grid = dim3(static_cast<unsigned>(problem.all_heads()), static_cast<unsigned>(tiles)),
       .block = dim3(threads),
       .shared_bytes = Shared<dim>::size * sizeof(float)},
      stream, flash_kernel<dim>, problem.seq, problem.mask == Mask::causal, factor,
      static_cast<const float*>(operands.q), static_cast<const float*>(operands.k),
      static_cast<const float*>(operands.v), static_cast<float*>(operands.o),
      static_cast<unsigned>(problem.group()));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dim == 64)
    launch_for<64>(problem, operands, stream);
  else
    launch_for<128>(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.shared_per_block < Shared<128>::size * sizeof(float))
    return device::Support::unsupported("a block needs " +
                                        std::to_string(Shared<128>::size * sizeof(float)) +
                                        " bytes of shared memory");
  return check(problem, {DType::f32}, /*groups_queries=*/true);
}

}  // namespace

Variant flash() {
  return {"online softmax over tiles of keys: scores stay on the SM",
          {DType::f32},
          supports,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 2.92},
          /*groups_queries=*/true};
}

}  // namespace ridgeline::attention::on_cuda
