#include <algorithm>

#include "harness/device/kernel.hpp"
#include "kernels/attention/masked_softmax.hpp"
#include "kernels/cuda/lanes.cuh"
#include "kernels/ptx/exp2.cuh"

// Scale, mask, softmax and conversion in one pass: a block keeps its row in registers as floats, so
// that a score is read once and its probability written once, 16 bytes at a time. Rows that are too
// long for that are read twice. Bound by DRAM.

namespace ridgeline::attention::on_cuda {
namespace {

constexpr int lanes = 8;  // elements of an access
constexpr int most_softmax_threads = 1024, long_row_threads = 512;
constexpr float log2_e = 1.4426950408889634f;

/// Eight elements as floats; those from `seen` on are -inf. `first` is the number of the first.
template <class Element>
__device__ __forceinline__ void unpack_seen(uint4 from, std::int64_t first, std::int64_t seen,
                                            float (&to)[lanes]) {
  const Element* const type = nullptr;
  kernels::on_cuda::unpack(type, from, to);
#pragma unroll
  for (int i = 0; i < lanes; ++i)
    if (first + i >= seen) to[i] = -INFINITY;
}
template <class Element>
__device__ __forceinline__ uint4 pack(const float (&from)[lanes]) {
  const Element* const type = nullptr;
  return kernels::on_cuda::pack(type, from);
}

__device__ __forceinline__ float largest_of(const float (&values)[lanes], float largest) {
#pragma unroll
  for (int i = 0; i < lanes; ++i) largest = fmaxf(largest, values[i]);
  return largest;
}
/// Replaces values by 2^(factor * value - reference), and adds them to `sum`.
__device__ __forceinline__ float exponentials(float (&values)[lanes], float factor, float reference,
                                              float sum) {
#pragma unroll
  for (int i = 0; i < lanes; ++i) {
    values[i] = ptx::exp2_approximate(values[i] * factor - reference);
    sum += values[i];
  }
  return sum;
}

/// The result of `combine` over the values of all threads of the block, on all of them. `shared`
/// holds a value of each warp, and is free again after the next barrier.
template <class Combine>
__device__ __forceinline__ float over_softmax_block(float value, float* shared, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) value = combine(value, shared[warp]);
  return value;
}
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

__device__ __forceinline__ std::int64_t seen_by(const ScoreRows& rows) {
  const std::int64_t query = blockIdx.x % rows.queries;
  return rows.causal && query < rows.keys ? query + 1 : rows.keys;
}
__device__ __forceinline__ uint4* accesses_of(const ScoreRows& rows) {
  return static_cast<uint4*>(rows.scores) + blockIdx.x * (rows.stride / lanes);
}

/// One block per row; each thread has `count` accesses of it.
template <class Element, int count>
__global__ void __launch_bounds__(most_softmax_threads) row_in_registers_kernel(ScoreRows rows) {
  __shared__ float of_largest[32], of_sum[32];
  uint4* const row = accesses_of(rows);
  const std::int64_t seen = seen_by(rows);
  const float factor = rows.factor * log2_e;
  const auto at = [](int j) { return std::int64_t{threadIdx.x + j * blockDim.x}; };
  uint4 from[count] = {};
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (at(j) * lanes < seen) from[j] = row[at(j)];
  float value[count][lanes], largest = -INFINITY, sum = 0;
#pragma unroll
  for (int j = 0; j < count; ++j) {
    unpack_seen<Element>(from[j], at(j) * lanes, seen, value[j]);
    largest = largest_of(value[j], largest);
  }
  const float reference = over_softmax_block(largest, of_largest, Larger{}) * factor;
#pragma unroll
  for (int j = 0; j < count; ++j) sum = exponentials(value[j], factor, reference, sum);
  const float inverse = 1 / over_softmax_block(sum, of_sum, Sum{});
#pragma unroll
  for (int j = 0; j < count; ++j) {
#pragma unroll
    for (int i = 0; i < lanes; ++i) value[j][i] *= inverse;
    if (at(j) * lanes < rows.keys) row[at(j)] = pack<Element>(value[j]);
  }
}

/// One block per row of any length. Each thread keeps the sum of exponentials beside its largest
/// score so far.
template <class Element>
__global__ void __launch_bounds__(long_row_threads) row_read_twice_kernel(ScoreRows rows) {
  __shared__ float of_largest[32], of_sum[32];
  uint4* const row = accesses_of(rows);
  const std::int64_t seen = seen_by(rows);
  const float factor = rows.factor * log2_e;
  float value[lanes], largest = -INFINITY, sum = 0;
  for (std::int64_t v = threadIdx.x; v * lanes < seen; v += long_row_threads) {
    unpack_seen<Element>(row[v], v * lanes, seen, value);
    const float now = largest_of(value, largest);
    sum *= ptx::exp2_approximate((largest - now) * factor);
    sum = exponentials(value, factor, now * factor, sum);
    largest = now;
  }
  const float most = over_softmax_block(largest, of_largest, Larger{});
  sum *= ptx::exp2_approximate((largest - most) * factor);
  const float inverse = 1 / over_softmax_block(sum, of_sum, Sum{});
  for (std::int64_t v = threadIdx.x; v * lanes < rows.keys; v += long_row_threads) {
    uint4 from{};
    if (v * lanes < seen) from = row[v];
    unpack_seen<Element>(from, v * lanes, seen, value);
    exponentials(value, factor, most * factor, 0);
#pragma unroll
    for (int i = 0; i < lanes; ++i) value[i] *= inverse;
    row[v] = pack<Element>(value);
  }
}

template <class Element, int count>
void launch_in_registers(const ScoreRows& rows, std::int64_t accesses, device::Stream& stream) {
  const auto threads = static_cast<unsigned>((accesses + 32 * count - 1) / (32 * count) * 32);
  device::launch({.grid = dim3(static_cast<unsigned>(rows.rows)), .block = dim3(threads)}, stream,
                 row_in_registers_kernel<Element, count>, rows);
}

template <class Element>
void launch_as(const ScoreRows& rows, device::Stream& stream) {
  const std::int64_t accesses = (rows.keys + lanes - 1) / lanes;
  if (accesses <= 64)
    launch_in_registers<Element, 1>(rows, accesses, stream);
  else if (accesses <= 128)
    launch_in_registers<Element, 2>(rows, accesses, stream);
  else if (accesses <= 4 * most_softmax_threads)
    launch_in_registers<Element, 4>(rows, accesses, stream);
  else
    device::launch(
        {.grid = dim3(static_cast<unsigned>(rows.rows)), .block = dim3(long_row_threads)}, stream,
        row_read_twice_kernel<Element>, rows);
}

}  // namespace

void masked_softmax(const ScoreRows& rows, device::Stream& stream) {
  if (rows.rows == 0 || rows.keys == 0) return;
  rows.dtype == DType::f16 ? launch_as<__half>(rows, stream)
                           : launch_as<__nv_bfloat16>(rows, stream);
}

}  // namespace ridgeline::attention::on_cuda
