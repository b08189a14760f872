#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/cuda/lanes.cuh"

// Three kernels, as the formula is written: all scores, then all probabilities, then all outputs;
// each product a block of 32 x 32 results from 32 x 32 tiles in shared memory. Scores and
// probabilities are batch x heads x seq^2 floats each, and keys that a causal mask hides are
// computed and masked like others. Bound by shared memory in the products (two loads for each
// multiply-add) and by DRAM in the softmax.

namespace ridgeline::attention::on_cuda {
namespace {

constexpr int tile = 32, softmax_threads = 256;

using kernels::on_cuda::narrow;
using kernels::on_cuda::widen;

/// scores[head][i][j] = factor * q_i . k_j; -inf where a causal mask hides key j.
template <class Element>
__global__ void __launch_bounds__(tile* tile)
    scores_kernel(std::int64_t seq, int dim, int group, bool causal, float factor, const Element* q,
                  const Element* k, Element* scores, std::int64_t tiles) {
  __shared__ float q_tile[tile][tile];
  __shared__ float k_tile[tile][tile + 1];  // read by column
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t head = blockIdx.x / (tiles * tiles);
  const std::int64_t i0 = blockIdx.x / tiles % tiles * tile, j0 = blockIdx.x % tiles * tile;
  const Element* const q_head = q + head * seq * dim;
  const Element* const k_head = k + head / group * seq * dim;
  float sum = 0;
  for (int d = 0; d < dim; d += tile) {
    q_tile[y][x] = i0 + y < seq ? widen(q_head[(i0 + y) * dim + d + x]) : 0.0f;
    k_tile[y][x] = j0 + y < seq ? widen(k_head[(j0 + y) * dim + d + x]) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < tile; ++e) sum += q_tile[y][e] * k_tile[x][e];
    __syncthreads();
  }
  const std::int64_t i = i0 + y, j = j0 + x;
  if (i < seq && j < seq)
    scores[(head * seq + i) * seq + j] =
        narrow<Element>(causal && j > i ? -INFINITY : sum * factor);
}

/// The result of `combine` over the values of all threads of the block, on all of them. `shared`
/// holds one value per warp.
template <class Combine>
__device__ __forceinline__ float over_block(float value, float* shared, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  __syncthreads();  // the last use of `shared` is over
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
#pragma unroll
  for (int warp = 1; warp < softmax_threads / 32; ++warp) value = combine(value, shared[warp]);
  return value;
}

/// One block per row: probabilities = exp(score - largest) / sum.
template <class Element>
__global__ void __launch_bounds__(softmax_threads)
    softmax_kernel(std::int64_t seq, const Element* scores, Element* probabilities) {
  __shared__ float shared[softmax_threads / 32];
  const Element* const row = scores + blockIdx.x * seq;
  Element* const to = probabilities + blockIdx.x * seq;
  float largest = -INFINITY;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads)
    largest = fmaxf(largest, widen(row[j]));
  largest = over_block(largest, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads)
    sum += expf(widen(row[j]) - largest);
  sum = over_block(sum, shared, [](float a, float b) { return a + b; });
  const float inverse = 1.0f / sum;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads)
    to[j] = narrow<Element>(expf(widen(row[j]) - largest) * inverse);
}

/// o[head][i][d] = sum over j of probabilities[head][i][j] v_j[d].
template <class Element>
__global__ void __launch_bounds__(tile* tile)
    output_kernel(std::int64_t seq, int dim, int group, const Element* probabilities,
                  const Element* v, Element* o, std::int64_t tiles) {
  __shared__ float p_tile[tile][tile];
  __shared__ float v_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, d_tiles = dim / tile;
  const std::int64_t head = blockIdx.x / (tiles * d_tiles);
  const std::int64_t i = blockIdx.x / d_tiles % tiles * tile + y;
  const int d = static_cast<int>(blockIdx.x % d_tiles) * tile + x;
  const Element* const p_row = probabilities + (head * seq + i) * seq;
  const Element* const v_head = v + head / group * seq * dim;
  float sum = 0;
  for (std::int64_t j = 0; j < seq; j += tile) {
    p_tile[y][x] = i < seq && j + x < seq ? widen(p_row[j + x]) : 0.0f;
    v_tile[y][x] = j + y < seq ? widen(v_head[(j + y) * dim + d]) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < tile; ++e) sum += p_tile[y][e] * v_tile[e][x];
    __syncthreads();
  }
  if (i < seq) o[(head * seq + i) * dim + d] = narrow<Element>(sum);
}

std::size_t score_bytes(const Problem& problem) {  // of the scores, as of the probabilities
  const auto count = static_cast<std::size_t>(problem.all_heads() * problem.seq * problem.seq);
  return (count * size_of(problem.dtype) + 255) / 256 * 256;
}
std::size_t workspace(const Problem& problem) { return 2 * score_bytes(problem); }

template <class Element>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t seq = problem.seq, heads = problem.all_heads(),
                     tiles = (seq + tile - 1) / tile;
  const int dim = static_cast<int>(problem.dim), group = static_cast<int>(problem.group()),
            d_tiles = dim / tile;
  auto* const scores = static_cast<Element*>(operands.workspace);
  auto* const probabilities = scores + score_bytes(problem) / sizeof(Element);
  const float factor = 1.0f / sqrtf(static_cast<float>(dim));
  const auto blocks = [](std::int64_t count) { return dim3(static_cast<unsigned>(count)); };
  device::launch({.grid = blocks(heads * tiles * tiles), .block = dim3(tile, tile)}, stream,
                 scores_kernel<Element>, seq, dim, group, problem.mask == Mask::causal, factor,
                 static_cast<const Element*>(operands.q), static_cast<const Element*>(operands.k),
                 scores, tiles);
  device::launch({.grid = blocks(heads * seq), .block = dim3(softmax_threads)}, stream,
                 softmax_kernel<Element>, seq, scores, probabilities);
  device::launch({.grid = blocks(heads * tiles * d_tiles), .block = dim3(tile, tile)}, stream,
                 output_kernel<Element>, seq, dim, group, probabilities,
                 static_cast<const Element*>(operands.v), static_cast<Element*>(operands.o), tiles);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dtype == DType::f16)
    launch_as<__half>(problem, operands, stream);
  else if (problem.dtype == DType::bf16)
    launch_as<__nv_bfloat16>(problem, operands, stream);
  else
    launch_as<float>(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32, DType::bf16, DType::f16}, /*groups_queries=*/true);
}

}  // namespace

Variant standard() {
  return {"scores and probabilities written to memory",
          {DType::f32, DType::bf16, DType::f16},
          supports,
          launch,
          workspace,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1},
          /*groups_queries=*/true};
}

}  // namespace ridgeline::attention::on_cuda
