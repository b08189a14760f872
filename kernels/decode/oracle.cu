#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/worst.cuh"
#include "kernels/decode/device_oracle.hpp"

// Expected heads in double precision, and beside them the same in plain steps of the problem's
// precision: first all scores are written down, then what they amount to, then the outputs of
// stretches of keys, then their sums. Inputs are made again where they are needed.

namespace ridgeline::decode::on_cuda {
namespace {

using kernels::Worst;
using kernels::on_cuda::element;
using kernels::on_cuda::rounded;
using kernels::on_cuda::stored;

constexpr int threads = 256, warps = threads / 32, keys_of_warp = 16;
constexpr int stretch = 1024, shared_keys = 128;  // keys of a block of stretches_kernel

/// What all keys of a head amount to.
struct HeadSums {
  double largest, sum;  // of its scores; of exp(score - largest)
  double score, moved;  // max sum |q k| / sqrt(dim); sum (score p)^2
  float plain_largest, plain_sum;
};

/// Of one dimension and one stretch of keys: exact, or what says how sensitive it is.
struct Sums {
  double output, size;    // sum p v, sum p |v|
  double squares, cross;  // sum (p^2 + (score p)^2) v^2, sum (score p)^2 v
  float plain;
};

std::int64_t stretches(const Problem& problem) { return (problem.keys + stretch - 1) / stretch; }

/// In device memory, for some heads.
struct Scratch {
  double *scores, *magnitudes;  // heads x keys
  float* plain_scores;
  HeadSums* heads;
  Sums* sums;  // heads x stretches x dim
};
std::size_t scratch_bytes(const Problem& problem, std::int64_t heads) {
  return static_cast<std::size_t>(heads) *
         (static_cast<std::size_t>(problem.keys) * 20 + sizeof(HeadSums) + 8 +
          static_cast<std::size_t>(stretches(problem) * problem.dim) * sizeof(Sums));
}
Scratch scratch_in(void* memory, const Problem& problem, std::int64_t heads) {
  Scratch scratch{};
  scratch.scores = static_cast<double*>(memory);
  scratch.magnitudes = scratch.scores + heads * problem.keys;
  scratch.heads = reinterpret_cast<HeadSums*>(scratch.magnitudes + heads * problem.keys);
  scratch.sums = reinterpret_cast<Sums*>(scratch.heads + heads);
  scratch.plain_scores =
      reinterpret_cast<float*>(scratch.sums + heads * stretches(problem) * problem.dim);
  return scratch;
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
template <class Number, class Combine>
__device__ Number over_warp(Number value, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}
/// Over a block of `count` warps, on all of its threads.
template <int count, class Number, class Combine>
__device__ Number over_block(Number value, Combine combine) {
  __shared__ Number of_warp[count];
  value = over_warp(value, combine);
  __syncthreads();  // the last use is over
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
  for (int warp = 1; warp < count; ++warp) value = combine(value, of_warp[warp]);
  return value;
}

/// Row 0 of the keys and values that a head of queries sees.
__device__ std::int64_t first_key(const Problem& problem, std::int64_t head) {
  return head / (problem.heads / problem.kv_heads) * problem.keys;
}

/// Scores q k' / sqrt(dim), exact and plain; a warp has one key after another. Blocks: stretches of
/// keys, heads.
__global__ void __launch_bounds__(threads)
    scores_kernel(Problem problem, Inputs inputs, Heads heads, Scratch scratch) {
  const std::int64_t dim = problem.dim, head = heads.first + blockIdx.y;
  const std::int64_t row = blockIdx.y * problem.keys, first = first_key(problem, head);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t begin = (std::int64_t{blockIdx.x} * warps + warp) * keys_of_warp;
  for (std::int64_t j = begin; j < min(begin + keys_of_warp, problem.keys); ++j) {
    double score = 0, magnitude = 0;
    float plain = 0;
    for (std::int64_t d = lane; d < dim; d += 32) {
      const float q = element(inputs.q, head * dim + d),
                  k = element(inputs.k, (first + j) * dim + d);
      const double product = static_cast<double>(q) * static_cast<double>(k);
      score += product;
      magnitude += fabs(product);
      plain += q * k;
    }
    score = over_warp(score, Sum{}) / sqrt(static_cast<double>(dim));
    magnitude = over_warp(magnitude, Sum{}) / sqrt(static_cast<double>(dim));
    plain = over_warp(plain, Sum{}) / sqrtf(static_cast<float>(dim));
    if (lane != 0) continue;
    scratch.scores[row + j] = score;
    scratch.magnitudes[row + j] = magnitude;
    scratch.plain_scores[row + j] = rounded(plain, problem.dtype);
  }
}

/// What the scores of each head amount to; a block has a head.
__global__ void __launch_bounds__(threads) softmax_kernel(Problem problem, Scratch scratch) {
  const std::int64_t row = blockIdx.x * problem.keys;
  const int thread = static_cast<int>(threadIdx.x);
  double largest = -INFINITY, magnitude = 0;
  float plain_largest = -INFINITY;
  for (std::int64_t j = thread; j < problem.keys; j += threads) {
    largest = fmax(largest, scratch.scores[row + j]);
    magnitude = fmax(magnitude, scratch.magnitudes[row + j]);
    plain_largest = fmaxf(plain_largest, scratch.plain_scores[row + j]);
  }
  HeadSums of;
  of.largest = over_block<warps>(largest, Largest{});
  of.score = over_block<warps>(magnitude, Largest{});
  of.plain_largest = over_block<warps>(plain_largest, Largest{});
  double sum = 0, moved = 0;
  float plain_sum = 0;
  for (std::int64_t j = thread; j < problem.keys; j += threads) {
    const double score = scratch.scores[row + j], weight = exp(score - of.largest);
    sum += weight;
    moved += score * weight * (score * weight);
    plain_sum += expf(scratch.plain_scores[row + j] - of.plain_largest);
  }
  of.sum = over_block<warps>(sum, Sum{});
  of.moved = over_block<warps>(moved, Sum{}) / (of.sum * of.sum);
  of.plain_sum = over_block<warps>(plain_sum, Sum{});
  if (thread == 0) scratch.heads[blockIdx.x] = of;
}

/// Sums over the keys of a stretch; a thread has a dimension. Blocks: stretches, heads.
__global__ void __launch_bounds__(128)
    stretches_kernel(Problem problem, Inputs inputs, Heads heads, Scratch scratch) {
  __shared__ double p[shared_keys], shifted[shared_keys];
  __shared__ float plain_p[shared_keys];
  const int d = static_cast<int>(threadIdx.x), dim = static_cast<int>(blockDim.x);
  const std::int64_t row = blockIdx.y * problem.keys,
                     first = first_key(problem, heads.first + blockIdx.y);
  const HeadSums& of = scratch.heads[blockIdx.y];
  const std::int64_t begin = std::int64_t{blockIdx.x} * stretch,
                     end = min(begin + stretch, problem.keys);
  Sums sums{};
  for (std::int64_t j0 = begin; j0 < end; j0 += shared_keys) {
    const int count = static_cast<int>(min(end - j0, std::int64_t{shared_keys}));
    __syncthreads();  // the last ones have been read
    for (int j = d; j < count; j += dim) {
      const double score = scratch.scores[row + j0 + j];
      p[j] = exp(score - of.largest) / of.sum;
      shifted[j] = score * p[j];
      plain_p[j] =
          rounded(expf(scratch.plain_scores[row + j0 + j] - of.plain_largest) / of.plain_sum,
                  problem.dtype);
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      const float v = element(inputs.v, (first + j0 + j) * dim + d);
      const double value = v, weight = p[j], moved = shifted[j] * shifted[j];
      sums.output += weight * value;
      sums.size += weight * fabs(value);
      sums.squares += (weight * weight + moved) * (value * value);
      sums.cross += moved * value;
      sums.plain += plain_p[j] * v;
    }
  }
  scratch.sums[(blockIdx.y * gridDim.x + blockIdx.x) * dim + d] = sums;
}

/// The stretches' sums, and each head's tolerance as kernels/attention/oracle.cpp derives it; a
/// block has a head, and a thread a dimension.
template <int dim>
__global__ void __launch_bounds__(dim)
    outputs_kernel(Problem problem, Roundings roundings, std::int64_t stretches, Scratch scratch,
                   ExpectedHeads expected) {
  const int d = static_cast<int>(threadIdx.x);
  const HeadSums& of = scratch.heads[blockIdx.x];
  Sums sums{};
  for (std::int64_t i = 0; i < stretches; ++i) {
    const Sums& one = scratch.sums[(blockIdx.x * stretches + i) * dim + d];
    sums.output += one.output;
    sums.size += one.size;
    sums.squares += one.squares;
    sums.cross += one.cross;
    sums.plain += one.plain;
  }
  const double o = sums.output;
  // r^2 = sum p^2 v^2 + sum (s p)^2 (v - o)^2
  const double squares = fmax(0.0, sums.squares - 2 * o * sums.cross + o * o * of.moved);
  constexpr int count = dim / 32;
  const double error = over_block<count>(
                   fabs(static_cast<double>(rounded(sums.plain, problem.dtype)) - o), Largest{}),
               output = over_block<count>(fabs(o), Largest{}),
               size = over_block<count>(sums.size, Largest{}),
               most = over_block<count>(squares, Largest{});
  expected.o[blockIdx.x * std::int64_t{dim} + d] = o;
  if (d == 0)
    expected.tolerances[blockIdx.x] =
        2 * error + roundings.elements * (2 * output + 6 * sqrt(most)) +
        roundings.sums * (2 * static_cast<double>(dim + 4) * of.score + 8) * size;
}

void expect(const Problem& problem, const Inputs& inputs, const Heads& heads,
            const Roundings& roundings, void* memory, const ExpectedHeads& expected,
            device::Stream& stream) {
  const Scratch scratch = scratch_in(memory, problem, heads.count);
  const auto count = static_cast<unsigned>(heads.count), dim = static_cast<unsigned>(problem.dim),
             pieces = static_cast<unsigned>(stretches(problem));
  device::launch({.grid = dim3(device::blocks_for(problem.keys, warps * keys_of_warp), count),
                  .block = dim3(threads)},
                 stream, scores_kernel, problem, inputs, heads, scratch);
  device::launch({.grid = dim3(count), .block = dim3(threads)}, stream, softmax_kernel, problem,
                 scratch);
  device::launch({.grid = dim3(pieces, count), .block = dim3(dim)}, stream, stretches_kernel,
                 problem, inputs, heads, scratch);
  device::launch({.grid = dim3(count), .block = dim3(dim)}, stream,
                 dim == 64 ? outputs_kernel<64> : outputs_kernel<128>, problem, roundings,
                 stretches(problem), scratch, expected);
}

struct CompareElements {
  Problem problem;
  ExpectedHeads expected;
  const void* o;

  __device__ Worst operator()(std::int64_t i) const {
    return {fabs(stored(o, problem.dtype, i) - expected.o[i]), expected.tolerances[i / problem.dim],
            i};
  }
};

void compare(const Problem& problem, const ExpectedHeads& expected, const void* o, Worst* partials,
             device::Stream& stream) {
  kernels::on_cuda::find_worst(problem.elements(), CompareElements{problem, expected, o}, partials,
                               stream);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{scratch_bytes, expect, compare};
  return &calls;
}

}  // namespace ridgeline::decode::on_cuda
