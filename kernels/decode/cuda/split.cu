#include <algorithm>

#include "harness/device/facts.hpp"
#include "kernels/decode/cuda/parts.cuh"
#include "kernels/ptx/copy_async.cuh"

// Cuts each head's cache into parts, so that all SMs read, and a second kernel adds the parts up
// (flash decoding: Dao, Haziza, Massa and Sizov, 2023). A block takes all heads of a group, which
// read the same keys and values: once. The next tile of both is copied (cp.async) while this one is
// computed. Bound by CUDA cores where groups are large: each element that comes meets as many
// queries, and each of them is a multiply-add.

namespace ridgeline::decode::on_cuda {
namespace {

/// The most blocks that are started for the sake of filling a GPU; more come of many heads alone.
constexpr std::int64_t most_blocks = 1024;

constexpr int tile = 64, warps = 4, threads = 32 * warps;

/// A block's shared memory: two tiles of keys and values, whose rows are padded by 16 bytes so that
/// neighbouring keys fall into different banks; the queries; halves of the scores, and weights.
template <int dim, int heads>
struct Shared {
  static constexpr int stride = dim + 8;
  unsigned short k[2][tile * stride], v[2][tile * stride];
  float q[heads][dim];
  float scores[2][heads][tile];
  float weights[tile][heads];
  float shrink[heads];
};

/// Starts copying a tile of keys and values, with zeros beyond the end, and closes the group.
template <int dim, int heads>
__device__ __forceinline__ void copy_tile(Shared<dim, heads>& shared, int stage,
                                          const unsigned short* k, const unsigned short* v,
                                          std::int64_t first, std::int64_t keys) {
  constexpr int pieces = dim / 8;
#pragma unroll
  for (int i = 0; i < tile * pieces / threads; ++i) {
    const int index = static_cast<int>(threadIdx.x) + i * threads, row = index / pieces,
              column = index % pieces * 8;
    const bool inside = first + row < keys;
    const std::int64_t from = (inside ? first + row : 0) * dim + column;
    const int to = row * Shared<dim, heads>::stride + column;
    ptx::copy_async_16(shared.k[stage] + to, k + from, inside);
    ptx::copy_async_16(shared.v[stage] + to, v + from, inside);
  }
  ptx::copy_async_commit();
}

/// The products of one key's half of the dimensions with those of all queries.
template <class Type, int dim, int heads>
__device__ __forceinline__ void half_scores(Shared<dim, heads>& shared, int stage) {
  const int key = static_cast<int>(threadIdx.x) % tile, half = static_cast<int>(threadIdx.x) / tile;
  const unsigned short* const row =
      shared.k[stage] + key * Shared<dim, heads>::stride + half * (dim / 2);
  float sums[heads] = {};
#pragma unroll
  for (int piece = 0; piece < dim / 16; ++piece) {
    const uint4 words = *reinterpret_cast<const uint4*>(row + 8 * piece);
    const float2 a = unpack(Type{}, words.x), b = unpack(Type{}, words.y),
                 c = unpack(Type{}, words.z), d = unpack(Type{}, words.w);
#pragma unroll
    for (int head = 0; head < heads; ++head) {
      const auto* const q =
          reinterpret_cast<const float4*>(shared.q[head] + half * (dim / 2) + 8 * piece);
      const float4 low = q[0], high = q[1];
      sums[head] += a.x * low.x + a.y * low.y + b.x * low.z + b.y * low.w;
      sums[head] += c.x * high.x + c.y * high.y + d.x * high.z + d.y * high.w;
    }
  }
#pragma unroll
  for (int head = 0; head < heads; ++head) shared.scores[half][head][key] = sums[head];
}

/// Of the head that a warp has: the largest score so far, and this lane's share of the sum.
struct Softmax {
  float largest = -INFINITY, sum = 0;

  /// Turns a tile's scores into weights. The first key of a tile is always inside.
  template <int dim, int heads>
  __device__ __forceinline__ void update(Shared<dim, heads>& shared, int head, float factor,
                                         std::int64_t inside) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float scores[2], most = largest;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int key = lane + 32 * i;
      scores[i] = key < inside
                      ? (shared.scores[0][head][key] + shared.scores[1][head][key]) * factor
                      : -INFINITY;
      most = fmaxf(most, scores[i]);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, step));
    const float shrink = ptx::exp2_approximate(largest - most);
    largest = most;
    sum *= shrink;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float weight = ptx::exp2_approximate(scores[i] - most);
      sum += weight;
      shared.weights[lane + 32 * i][head] = weight;
    }
    if (lane == 0) shared.shrink[head] = shrink;
  }
};

__device__ __forceinline__ void add(float2& sum, float weight, const float2& value) {
  sum.x += weight * value.x;
  sum.y += weight * value.y;
}

/// `heads`: as many of a group as a block takes at most. Blocks: parts, pieces of groups, heads of
/// the cache.
template <class Type, int dim, int heads>
__global__ void __launch_bounds__(threads)
    split_kernel(std::int64_t keys, int group, int pieces, std::int64_t count, float factor,
                 const unsigned* q, const unsigned short* k, const unsigned short* v, Parts parts) {
  constexpr int pairs = dim / 2, slices = threads / pairs, rounds = (heads + warps - 1) / warps;
  RIDGELINE_DYNAMIC_SHARED(unsigned char, memory);
  auto& shared = *reinterpret_cast<Shared<dim, heads>*>(memory);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const std::int64_t part = blockIdx.x % count, kv_head = blockIdx.x / count / pieces;
  const int first_of_group = static_cast<int>(blockIdx.x / count % pieces) * heads,
            present = min(heads, group - first_of_group);
  const std::int64_t first_head = kv_head * group + first_of_group;
  const std::int64_t tiles = (keys + tile - 1) / tile, begin = tiles * part / count,
                     end = tiles * (part + 1) / count;
  k += kv_head * keys * dim;
  v += kv_head * keys * dim;

  copy_tile<dim, heads>(shared, 0, k, v, begin * tile, keys);
  for (int index = thread; index < heads * pairs; index += threads) {
    const bool exists = index / pairs < present;
    *reinterpret_cast<float2*>(&shared.q[index / pairs][2 * (index % pairs)]) =
        exists ? unpack(Type{}, q[first_head * pairs + index]) : make_float2(0, 0);
  }

  // A thread has a pair of dimensions, and every `slices`-th key.
  const int pair = thread % pairs, slice = thread / pairs;
  Softmax softmax[rounds];
  float2 output[heads] = {};
  for (std::int64_t t = begin; t < end; ++t) {
    const int stage = static_cast<int>((t - begin) % 2);
    if (t + 1 < end)
      copy_tile<dim, heads>(shared, 1 - stage, k, v, (t + 1) * tile, keys);
    else
      ptx::copy_async_commit();  // an empty group, so that the wait below counts the same
    ptx::copy_async_wait<1>();
    __syncthreads();
    half_scores<Type, dim, heads>(shared, stage);
    __syncthreads();
#pragma unroll
    for (int round = 0; round < rounds; ++round)
      if (round * warps + warp < heads)
        softmax[round].update(shared, round * warps + warp, factor, keys - t * tile);
    __syncthreads();
#pragma unroll
    for (int head = 0; head < heads; ++head) {
      output[head].x *= shared.shrink[head];
      output[head].y *= shared.shrink[head];
    }
#pragma unroll 4
    for (int key = slice; key < tile; key += slices) {
      const float2 value =
          unpack(Type{}, reinterpret_cast<const unsigned*>(shared.v[stage] +
                                                           key * Shared<dim, heads>::stride)[pair]);
      const float* const weights = shared.weights[key];
      if constexpr (heads == 1) {
        add(output[0], weights[0], value);
      } else {
#pragma unroll
        for (int head = 0; head < heads; head += 4) {
          const float4 four = *reinterpret_cast<const float4*>(weights + head);
          add(output[head], four.x, value);
          add(output[head + 1], four.y, value);
          add(output[head + 2], four.z, value);
          add(output[head + 3], four.w, value);
        }
      }
    }
    __syncthreads();  // the tile has been read
  }

#pragma unroll
  for (int round = 0; round < rounds; ++round) {
    float sum = softmax[round].sum;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
    const int head = round * warps + warp;
    if (head < present && thread % 32 == 0)
      parts.sums[(first_head + head) * count + part] = make_float2(softmax[round].largest, sum);
  }
  // The slices' sums go through the memory of the keys.
  auto* const slice_sums = reinterpret_cast<float2*>(shared.k[0]);
#pragma unroll
  for (int head = 0; head < heads; ++head)
    slice_sums[(head * slices + slice) * pairs + pair] = output[head];
  __syncthreads();
  for (int index = thread; index < present * pairs; index += threads) {
    const int head = index / pairs;
    float2 sum = slice_sums[head * slices * pairs + index % pairs];
#pragma unroll
    for (int other = 1; other < slices; ++other) {
      const float2 its = slice_sums[(head * slices + other) * pairs + index % pairs];
      sum.x += its.x;
      sum.y += its.y;
    }
    reinterpret_cast<float2*>(
        parts.outputs)[((first_head + head) * count + part) * pairs + index % pairs] = sum;
  }
}

/// Blocks: heads of queries.
template <class Type, int dim>
__global__ void __launch_bounds__(adding_threads<dim>)
    add_up_kernel(std::int64_t count, Parts parts, unsigned* o) {
  const std::int64_t first = blockIdx.x * count;
  add_up<Type, dim>(
      parts, static_cast<int>(count), [=](int i) { return first + i; },
      o + std::int64_t{blockIdx.x} * (dim / 2));
}

std::int64_t tiles_of(const Problem& problem) { return (problem.keys + tile - 1) / tile; }

std::size_t workspace(const Problem& problem) {
  const std::int64_t most = parts_of(problem.all_kv_heads(), tiles_of(problem), most_blocks);
  return parts_bytes(problem.all_heads() * most, problem.dim);
}

template <class Type, int dim, int heads>
void launch_for(const Problem& problem, const Operands& operands, device::Stream& stream) {
  constexpr int blocks_of_an_sm = dim == 128 ? 3 : 4;
  const std::int64_t group = problem.group(), pieces = (group + heads - 1) / heads,
                     blocks = problem.all_kv_heads() * pieces;
  const std::int64_t count = parts_of(
      blocks, tiles_of(problem),
      std::min<std::int64_t>(most_blocks, std::int64_t{blocks_of_an_sm} * device::units(stream)));
  const Parts parts = parts_in(operands.workspace, problem.all_heads() * count, dim);
  device::launch({.grid = dim3(static_cast<unsigned>(blocks * count)),
                  .block = dim3(threads),
                  .shared_bytes = sizeof(Shared<dim, heads>)},
                 stream, split_kernel<Type, dim, heads>, problem.keys, static_cast<int>(group),
                 static_cast<int>(pieces), count, score_factor(dim),
                 static_cast<const unsigned*>(operands.q),
                 static_cast<const unsigned short*>(operands.k),
                 static_cast<const unsigned short*>(operands.v), parts);
  device::launch({.grid = dim3(static_cast<unsigned>(problem.all_heads())),
                  .block = dim3(adding_threads<dim>)},
                 stream, add_up_kernel<Type, dim>, count, parts,
                 static_cast<unsigned*>(operands.o));
}

template <class Type, int dim>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t group = problem.group();
  (group == 1   ? launch_for<Type, dim, 1>
   : group <= 4 ? launch_for<Type, dim, 4>
                : launch_for<Type, dim, 8>)(problem, operands, stream);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const bool wide = problem.dim == 128;
  if (problem.dtype == DType::f16)
    (wide ? launch_as<ptx::F16, 128> : launch_as<ptx::F16, 64>)(problem, operands, stream);
  else
    (wide ? launch_as<ptx::Bf16, 128> : launch_as<ptx::Bf16, 64>)(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  const device::Support possible = check(problem, {DType::bf16, DType::f16});
  if (possible && facts.capability < 80)
    return device::Support::unsupported("cp.async comes with compute capability 8.0");
  return possible;
}

}  // namespace

Variant split() {
  return {
      "each cache cut into parts, so that all SMs read, once for all queries of a group",
      {DType::bf16, DType::f16},
      supports,
      launch,
      workspace,
      {.sectors_per_load = 14.3, .sectors_per_store = 5.43, .wavefronts_per_shared_request = 2.04}};
}

}  // namespace ridgeline::decode::on_cuda
