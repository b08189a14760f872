#include "kernels/decode/cuda/pairs.cuh"
#include "kernels/decode/decode.hpp"
#include "kernels/ptx/exp2.cuh"

// As the formula is written, with an online softmax: a block has one head of queries, and each of
// its warps every eighth key, of which it makes the score and adds the value to its own sums; at
// the end the warps' sums are added up. Bound by how little is under way: a warp waits for one key
// after another, a model has fewer heads than a GPU has SMs, and heads of a group read the same
// cache each for themselves.

namespace ridgeline::decode::on_cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps;

template <class Type, int dim>
__global__ void __launch_bounds__(threads)
    standard_kernel(std::int64_t keys, std::int64_t group, float factor, const unsigned* q,
                    const unsigned* k, const unsigned* v, unsigned* o) {
  constexpr int words = dim / 64;  // pairs of elements of a lane
  __shared__ float2 outputs[warps][dim / 2];
  __shared__ float largest_of[warps], sum_of[warps];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = blockIdx.x / group * keys * (dim / 2) + lane;

  float2 query[words], output[words] = {};
#pragma unroll
  for (int w = 0; w < words; ++w)
    query[w] = unpack(Type{}, q[blockIdx.x * std::int64_t{dim / 2} + lane + 32 * w]);
  float largest = -INFINITY, sum = 0;
  for (std::int64_t j = warp; j < keys; j += warps) {
    const std::int64_t at = first + j * (dim / 2);
    float score = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const float2 key = unpack(Type{}, k[at + 32 * w]);
      score += query[w].x * key.x + query[w].y * key.y;
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xFFFFFFFFu, score, step);
    score *= factor;
    const float most = fmaxf(largest, score), shrink = ptx::exp2_approximate(largest - most),
                weight = ptx::exp2_approximate(score - most);
    largest = most;
    sum = sum * shrink + weight;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const float2 value = unpack(Type{}, v[at + 32 * w]);
      output[w].x = output[w].x * shrink + weight * value.x;
      output[w].y = output[w].y * shrink + weight * value.y;
    }
  }

#pragma unroll
  for (int w = 0; w < words; ++w) outputs[warp][lane + 32 * w] = output[w];
  if (lane == 0) {
    largest_of[warp] = largest;
    sum_of[warp] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= dim / 2) return;
  // The first warp has the first key, so there is a finite maximum.
  float most = largest_of[0], total = 0;
#pragma unroll
  for (int other = 1; other < warps; ++other) most = fmaxf(most, largest_of[other]);
  float2 result{0, 0};
#pragma unroll
  for (int other = 0; other < warps; ++other) {
    const float weight = ptx::exp2_approximate(largest_of[other] - most);
    const float2 its = outputs[other][threadIdx.x];
    total += weight * sum_of[other];
    result.x += weight * its.x;
    result.y += weight * its.y;
  }
  o[blockIdx.x * std::int64_t{dim / 2} + threadIdx.x] =
      ptx::pack(Type{}, result.x / total, result.y / total);
}

template <class Type, int dim>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(problem.all_heads())), .block = dim3(threads)},
                 stream, standard_kernel<Type, dim>, problem.keys, problem.group(),
                 score_factor(dim), static_cast<const unsigned*>(operands.q),
                 static_cast<const unsigned*>(operands.k), static_cast<const unsigned*>(operands.v),
                 static_cast<unsigned*>(operands.o));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const bool wide = problem.dim == 128;
  if (problem.dtype == DType::f16)
    (wide ? launch_as<ptx::F16, 128> : launch_as<ptx::F16, 64>)(problem, operands, stream);
  else
    (wide ? launch_as<ptx::Bf16, 128> : launch_as<ptx::Bf16, 64>)(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::bf16, DType::f16});
}

}  // namespace

Variant standard() {
  return {"one block a head",
          {DType::bf16, DType::f16},
          supports,
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1.34}};
}

}  // namespace ridgeline::decode::on_cuda
