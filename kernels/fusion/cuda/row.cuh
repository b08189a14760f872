#pragma once

#include "kernels/fusion/cuda/elementwise.cuh"

// A block has a row and keeps it in registers, so that mean and variance are taken of what is
// there, one after the other, and nothing is read twice.
namespace ridgeline::fusion::on_cuda {

inline constexpr int most_threads = 1024, most_cols = 8192;

/// Threads of a block, whole warps, of which each takes `each` of a row's accesses.
inline unsigned threads_for(std::int64_t accesses, int each) {
  return static_cast<unsigned>((accesses + 32 * each - 1) / (32 * each) * 32);
}

/// 4, or of the widest rows 8.
inline int elements_of_thread(const Problem& problem) {
  return problem.cols <= 4 * most_threads ? 4 : 8;
}

/// The sum over all threads of the block, on all of them. `shared` holds one value per warp.
__device__ __forceinline__ float sum_over_block(float value, float* shared) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, step);
  __syncthreads();  // the last use of `shared` is over
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) value += shared[warp];
  return value;
}

/// Mean and 1 / sqrt(variance + epsilon) of a row of `cols` elements, of which this thread has
/// value[j] where inside(j), and zeros elsewhere.
struct Moments {
  float mean, inverse;
};
template <int count, class Inside>
__device__ __forceinline__ Moments moments(const float (&value)[count], std::int64_t cols,
                                           float* shared, Inside inside) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < count; ++j) sum += value[j];
  const float n = static_cast<float>(cols), mean = sum_over_block(sum, shared) / n;
  float squares = 0;
#pragma unroll
  for (int j = 0; j < count; ++j) {
    const float apart = inside(j) ? value[j] - mean : 0.0f;
    squares += apart * apart;
  }
  return {mean, 1.0f / sqrtf(sum_over_block(squares, shared) / n + static_cast<float>(epsilon))};
}

/// LayerNorm of a row of which this thread has value[j] at column threadIdx.x + j blockDim.x, and
/// zeros beyond `cols`.
template <class Element, int count>
__device__ __forceinline__ void normalise(const float (&value)[count], std::int64_t cols,
                                          const Element* gamma, const Element* beta, Element* out,
                                          float* shared) {
  const auto col = [](int j) { return static_cast<int>(threadIdx.x + j * blockDim.x); };
  const Moments of = moments(value, cols, shared, [&](int j) { return col(j) < cols; });
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (col(j) < cols)
      out[col(j)] = narrow<Element>((value[j] - of.mean) * of.inverse * widen(gamma[col(j)]) +
                                    widen(beta[col(j)]));
}

template <class Element, int count>
__global__ void __launch_bounds__(most_threads)
    layer_norm_kernel(std::int64_t cols, const Element* in, const Element* gamma,
                      const Element* beta, Element* out) {
  __shared__ float shared[most_threads / 32];
  const std::int64_t first = std::int64_t{blockIdx.x} * cols;
  float value[count];
#pragma unroll
  for (int j = 0; j < count; ++j) {
    const int col = static_cast<int>(threadIdx.x + j * blockDim.x);
    value[j] = col < cols ? widen(in[first + col]) : 0.0f;
  }
  normalise(value, cols, gamma, beta, out + first, shared);
}

template <class Element>
void start_layer_norm(const Problem& problem, device::Stream& stream, const Operands& operands,
                      const Element* in) {
  const int each = elements_of_thread(problem);
  const auto kernel = each == 4 ? layer_norm_kernel<Element, 4> : layer_norm_kernel<Element, 8>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)),
                  .block = dim3(threads_for(problem.cols, each))},
                 stream, kernel, problem.cols, in, static_cast<const Element*>(operands.gamma),
                 static_cast<const Element*>(operands.beta), static_cast<Element*>(operands.out));
}

/// Of one intermediate result.
inline std::size_t one_array(const Problem& problem) {
  return static_cast<std::size_t>(problem.elements()) * size_of(problem.dtype);
}

inline device::Support row_in_registers(const Problem& problem, const device::Facts&) {
  if (problem.dtype != DType::f32 && problem.dtype != DType::f16 && problem.dtype != DType::bf16)
    return device::Support::unsupported("elements are f32, f16 or bf16");
  if (problem.cols > most_cols)
    return device::Support::unsupported("a block's registers hold rows of up to 8192");
  const std::int64_t pieces = pieces_of_row(problem);
  if (problem.rows * (pieces < 1 ? 1 : pieces) > 0x7FFFFFFF)
    return device::Support::unsupported("a grid has at most 2^31 - 1 blocks");
  return device::Support::yes();
}

}  // namespace ridgeline::fusion::on_cuda
