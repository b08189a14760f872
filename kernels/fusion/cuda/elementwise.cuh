#pragma once

#include "kernels/fusion/cuda/elements.cuh"

// Element by element: a kernel that takes each element of an array through one step, and the steps.
// A block has a piece of one row; a thread has `in_flight` of its elements, a block's width apart.
namespace ridgeline::fusion::on_cuda {

inline constexpr int step_threads = 256, in_flight = 4, piece = step_threads * in_flight;

template <class Element>
struct AddBias {
  const Element* bias;
  __device__ __forceinline__ float operator()(float value, std::int64_t, std::int64_t col) const {
    return value + widen(bias[col]);
  }
};
struct Gelu {
  __device__ __forceinline__ float operator()(float value, std::int64_t, std::int64_t) const {
    return gelu(value);
  }
};
struct Dropout {
  std::uint64_t seed;
  __device__ __forceinline__ float operator()(float value, std::int64_t index, std::int64_t) const {
    return dropped(value, seed, index);
  }
};
template <class Element>
struct AddResidual {
  const Element* residual;
  __device__ __forceinline__ float operator()(float value, std::int64_t index, std::int64_t) const {
    return widen(residual[index]) + value;
  }
};

template <class Element, class Step>
__global__ void __launch_bounds__(step_threads)
    step_kernel(std::int64_t cols, unsigned pieces, Step step, const Element* in, Element* out) {
  const std::int64_t row = blockIdx.x / pieces,
                     col = std::int64_t{blockIdx.x % pieces} * piece + threadIdx.x;
  const std::int64_t first = row * cols + col;
  Element value[in_flight];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (col + j * step_threads < cols) value[j] = in[first + j * step_threads];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (col + j * step_threads < cols)
      out[first + j * step_threads] =
          narrow<Element>(step(widen(value[j]), first + j * step_threads, col + j * step_threads));
}

inline std::int64_t pieces_of_row(const Problem& problem) {
  return (problem.cols + piece - 1) / piece;
}

template <class Element, class Step>
void start_step(const Problem& problem, device::Stream& stream, const Step& step, const Element* in,
                Element* out) {
  const std::int64_t pieces = pieces_of_row(problem);
  device::launch(
      {.grid = dim3(static_cast<unsigned>(problem.rows * pieces)), .block = dim3(step_threads)},
      stream, step_kernel<Element, Step>, problem.cols, static_cast<unsigned>(pieces), step, in,
      out);
}

}  // namespace ridgeline::fusion::on_cuda
