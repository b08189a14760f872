#include "harness/device/kernel.hpp"
#include "kernels/attention/attention.hpp"

// Three kernels, as the formula is written: all scores, then all probabilities, then all outputs; each product a block
// of 32 x 32 results from 32 x 32 tiles in shared memory. Scores and probabilities are batch x heads x seq^2 floats
// each, and keys that a causal mask hides are computed and masked like others. Bound by shared memory in the products
// (two loads for each multiply-add) and by DRAM in the softmax.

namespace ridgeline::attention::on_cuda {
namespace {

constexpr int tile = 32, softmax_threads = 256;

/// scores[head][i][j] = factor * q_i . k_j; -inf where a causal mask hides key j.
__global__ void __launch_bounds__(tile* tile)
    scores_kernel(std::int64_t seq, int dim, bool causal, float factor, const float* q, const float* k, float* scores,
                  std::int64_t tiles) {
  __shared__ float q_tile[tile][tile];
  __shared__ float k_tile[tile][tile + 1];  // read by column
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t head = blockIdx.x / (tiles * tiles);
  const std::int64_t i0 = blockIdx.x / tiles % tiles * tile, j0 = blockIdx.x % tiles * tile;
  const float* const q_head = q + head * seq * dim;
  const float* const k_head = k + head * seq * dim;
  float sum = 0;
  for (int d = 0; d < dim; d += tile) {
    q_tile[y][x] = i0 + y < seq ? q_head[(i0 + y) * dim + d + x] : 0.0f;
    k_tile[y][x] = j0 + y < seq ? k_head[(j0 + y) * dim + d + x] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < tile; ++e) sum += q_tile[y][e] * k_tile[x][e];
    __syncthreads();
  }
  const std::int64_t i = i0 + y, j = j0 + x;
  if (i < seq && j < seq) scores[(head * seq + i) * seq + j] = causal && j > i ? -INFINITY : sum * factor;
}

/// The result of `combine` over the values of all threads of the block, on all of them. `shared` holds a value a warp.
template <class Combine>
__device__ __forceinline__ float over_block(float value, float* shared, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  __syncthreads();  // the last use of `shared` is over
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
#pragma unroll
  for (int warp = 1; warp < softmax_threads / 32; ++warp) value = combine(value, shared[warp]);
  return value;
}

/// One block a row: probabilities = exp(score - largest) / sum.
__global__ void __launch_bounds__(softmax_threads)
    softmax_kernel(std::int64_t seq, const float* scores, float* probabilities) {
  __shared__ float shared[softmax_threads / 32];
  const float* const row = scores + blockIdx.x * seq;
  float* const to = probabilities + blockIdx.x * seq;
  float largest = -INFINITY;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads) largest = fmaxf(largest, row[j]);
  largest = over_block(largest, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads) sum += expf(row[j] - largest);
  sum = over_block(sum, shared, [](float a, float b) { return a + b; });
  const float inverse = 1.0f / sum;
  for (std::int64_t j = threadIdx.x; j < seq; j += softmax_threads) to[j] = expf(row[j] - largest) * inverse;
}

/// o[head][i][d] = sum over j of probabilities[head][i][j] v_j[d].
__global__ void __launch_bounds__(tile* tile)
    output_kernel(std::int64_t seq, int dim, const float* probabilities, const float* v, float* o, std::int64_t tiles) {
  __shared__ float p_tile[tile][tile];
  __shared__ float v_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, d_tiles = dim / tile;
  const std::int64_t head = blockIdx.x / (tiles * d_tiles);
  const std::int64_t i = blockIdx.x / d_tiles % tiles * tile + y;
  const int d = static_cast<int>(blockIdx.x % d_tiles) * tile + x;
  const float* const p_row = probabilities + (head * seq + i) * seq;
  const float* const v_head = v + head * seq * dim;
  float sum = 0;
  for (std::int64_t j = 0; j < seq; j += tile) {
    p_tile[y][x] = i < seq && j + x < seq ? p_row[j + x] : 0.0f;
    v_tile[y][x] = j + y < seq ? v_head[(j + y) * dim + d] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < tile; ++e) sum += p_tile[y][e] * v_tile[e][x];
    __syncthreads();
  }
  if (i < seq) o[(head * seq + i) * dim + d] = sum;
}

std::int64_t score_bytes(const Problem& problem) {  // of the scores, as of the probabilities
  const std::int64_t bytes = problem.all_heads() * problem.seq * problem.seq * 4;
  return (bytes + 255) / 256 * 256;
}
std::size_t workspace(const Problem& problem) { return 2 * static_cast<std::size_t>(score_bytes(problem)); }

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t seq = problem.seq, heads = problem.all_heads(), tiles = (seq + tile - 1) / tile;
  const int dim = static_cast<int>(problem.dim);
  auto* const scores = static_cast<float*>(operands.workspace);
  float* const probabilities = scores + score_bytes(problem) / 4;
  const float factor = 1.0f / sqrtf(static_cast<float>(dim));
  device::launch({.grid = dim3(static_cast<unsigned>(heads * tiles * tiles)), .block = dim3(tile, tile)}, stream,
                 scores_kernel, seq, dim, problem.mask == Mask::causal, factor, static_cast<const float*>(operands.q),
                 static_cast<const float*>(operands.k), scores, tiles);
  device::launch({.grid = dim3(static_cast<unsigned>(heads * seq)), .block = dim3(softmax_threads)}, stream,
                 softmax_kernel, seq, scores, probabilities);
  device::launch({.grid = dim3(static_cast<unsigned>(heads * tiles * (dim / tile))), .block = dim3(tile, tile)}, stream,
                 output_kernel, seq, dim, probabilities, static_cast<const float*>(operands.v),
                 static_cast<float*>(operands.o), tiles);
}

device::Support supports(const Problem& problem, const device::Facts&) { return check(problem, {DType::f32}); }

}  // namespace

Variant standard() { return {"scores and probabilities written to memory", {DType::f32}, supports, launch, workspace}; }

}  // namespace ridgeline::attention::on_cuda
