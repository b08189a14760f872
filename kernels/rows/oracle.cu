#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/worst.cuh"
#include "kernels/rows/device_oracle.hpp"

// A block has a row, or a column backward, at a time, computes everything in double precision and
// keeps nothing but sums: softmax by the logarithm of the sum of exponentials, variances by the
// differences of all from the mean, gradients as the product with the transposed Jacobian matrix of
// the norm, dx_i = sum_j c_j (delta_ij - 1 / n - h_i h_j / n) rstd. Each element gets the bound
// that oracle.cpp explains.

namespace ridgeline::rows::on_cuda {
namespace {

using kernels::Worst;
using kernels::on_cuda::element;
using kernels::on_cuda::stored;

constexpr int threads = kernels::worst_threads;
constexpr double roundoff = 0x1p-24;  // of f32

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Larger {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
/// Of value(i) of all i below `count`, on all threads of the block.
template <class Combine, class Value>
__device__ double over_all(std::int64_t count, double start, Combine combine, Value value) {
  __shared__ double shared[threads];
  double mine = start;
  for (std::int64_t i = threadIdx.x; i < count; i += threads) mine = combine(mine, value(i));
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned others = threads / 2; others > 0; others /= 2) {
    if (threadIdx.x < others)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + others]);
    __syncthreads();
  }
  mine = shared[0];
  __syncthreads();
  return mine;
}
template <class Value>
__device__ double sum(std::int64_t count, Value value) {
  return over_all(count, 0, Add{}, value);
}

__device__ double sum_loses(std::int64_t terms) {
  return 4 * sqrt(static_cast<double>(terms)) * roundoff;
}

/// An element of the output and its tolerance.
struct Right {
  double value, tolerance;
};

/// What one row takes before its elements are known: see of_softmax() and so on.
struct Row {
  std::int64_t number;
  double first, second, third, fourth, fifth;
};

/// Unit roundoff of bf16, or none; and what f32 flushes, with half of bf16's smallest number.
__device__ double rounding(DType dtype) { return dtype == DType::f32 ? 0 : 0x1p-8; }
__device__ double underflow(DType dtype) { return 0x1p-125 + (dtype == DType::f32 ? 0 : 0x1p-134); }

struct Oracle {
  Problem problem;
  Inputs inputs;

  __device__ double x(std::int64_t row, std::int64_t col) const {
    return element(inputs.x, row * problem.cols + col);
  }
  __device__ double dy(std::int64_t row, std::int64_t col) const {
    return element(inputs.dy, row * problem.cols + col);
  }
  __device__ double gamma(std::int64_t col) const { return element(inputs.gamma, col); }
  __device__ double rstd(std::int64_t row) const { return element(inputs.rstd, row); }
  __device__ double mean(std::int64_t row) const {
    return problem.is_layer() ? element(inputs.mean, row) : 0;
  }
  __device__ double normalised(std::int64_t row, std::int64_t col) const {
    return (x(row, col) - mean(row)) * rstd(row);
  }
  __device__ double normalised_error(std::int64_t row, std::int64_t col) const {
    return 4 * roundoff * (fabs(x(row, col)) + fabs(mean(row))) * fabs(rstd(row));
  }
  __device__ Right rounded(double value, double tolerance) const {
    return {value, tolerance + rounding(problem.dtype) * fabs(value) + underflow(problem.dtype)};
  }

  /// The maximum, the logarithm of the sum beside it, and how far elements are from the maximum.
  __device__ Row of_softmax(std::int64_t row) const {
    const std::int64_t n = problem.cols;
    const double most =
        over_all(n, -INFINITY, Larger{}, [&](std::int64_t col) { return x(row, col); });
    const double all = sum(n, [&](std::int64_t col) { return exp(x(row, col) - most); });
    const double spread = sum(n, [&](std::int64_t col) {
      const double power = exp(x(row, col) - most);
      return power == 0 ? 0 : power * fabs(x(row, col) - most);
    });
    return {row, most, log(all), spread / all, 0, 0};
  }
  __device__ Right softmax(const Row& row, std::int64_t col) const {
    if (row.first == -INFINITY) return {0, underflow(problem.dtype)};
    const double apart = x(row.number, col) - row.first, y = exp(apart - row.second);
    if (y == 0) return {0, underflow(problem.dtype)};
    return rounded(y, y * (8 * roundoff * (4 + fabs(apart) + row.third) + sum_loses(problem.cols)));
  }

  /// Mean, its error, rstd, and its relative error.
  __device__ Row of_forward(std::int64_t row) const {
    const std::int64_t n = problem.cols;
    const double count = static_cast<double>(n);
    double middle = 0, middle_error = 0;
    if (problem.is_layer()) {
      middle = sum(n, [&](std::int64_t col) { return x(row, col); }) / count;
      middle_error = (sum_loses(n) + roundoff) *
                     sum(n, [&](std::int64_t col) { return fabs(x(row, col)); }) / count;
    }
    const double squares = sum(n, [&](std::int64_t col) {
      const double apart = x(row, col) - middle;
      return apart * apart;
    });
    const double inverse = 1 / sqrt(squares / count + epsilon), off = middle_error * inverse;
    return {row, middle, middle_error, inverse, sum_loses(n) + 8 * roundoff + off + off * off, 0};
  }
  __device__ Right forward(const Row& row, std::int64_t col) const {
    const double y = (x(row.number, col) - row.first) * row.third, scaled = y * gamma(col),
                 shift = problem.is_layer() ? element(inputs.beta, col) : 0.0f;
    return rounded(scaled + shift, fabs(gamma(col)) * row.second * row.third +
                                       fabs(scaled) * row.fourth +
                                       4 * roundoff * (fabs(scaled) + fabs(shift)));
  }
  __device__ Right kept(const Row& row, int side) const {
    if (side == 0) return {row.third, row.third * row.fourth};
    return {row.first, row.second + roundoff * fabs(row.first)};
  }

  /// Sums of c, |c|, c h, |c h|, and of |c| times the error of h.
  __device__ Row of_backward(std::int64_t row) const {
    const std::int64_t n = problem.cols;
    const auto c = [&](std::int64_t col) { return dy(row, col) * gamma(col); };
    const auto h = [&](std::int64_t col) { return normalised(row, col); };
    const double layer = problem.is_layer() ? 1 : 0;
    return {row,
            layer * sum(n, [&](std::int64_t col) { return c(col); }),
            layer * sum(n, [&](std::int64_t col) { return fabs(c(col)); }),
            sum(n, [&](std::int64_t col) { return c(col) * h(col); }),
            sum(n, [&](std::int64_t col) { return fabs(c(col) * h(col)); }),
            sum(n, [&](std::int64_t col) { return fabs(c(col)) * normalised_error(row, col); })};
  }
  __device__ Right backward(const Row& row, std::int64_t col) const {
    const double n = static_cast<double>(problem.cols), c = dy(row.number, col) * gamma(col),
                 h = normalised(row.number, col), inverse = rstd(row.number),
                 loses = sum_loses(problem.cols) + 4 * roundoff;
    const double through_others = (row.first + h * row.third) / n;
    const double error = 4 * roundoff * (fabs(c) + fabs(row.first) / n + fabs(h * row.third) / n) +
                         loses * row.second / n + fabs(h) * (loses * row.fourth + row.fifth) / n +
                         normalised_error(row.number, col) * fabs(row.third) / n;
    return rounded((c - through_others) * inverse, fabs(inverse) * error);
  }
  __device__ Right gradient(std::int64_t col, int side) const {
    const std::int64_t n = problem.rows;
    const double loses = sum_loses(n) + 4 * roundoff;
    if (side == 1) {
      const double all = sum(n, [&](std::int64_t row) { return dy(row, col); }),
                   sizes = sum(n, [&](std::int64_t row) { return fabs(dy(row, col)); });
      return {all, loses * sizes + 0x1p-126};
    }
    const double all =
        sum(n, [&](std::int64_t row) { return dy(row, col) * normalised(row, col); });
    const double errors = sum(n, [&](std::int64_t row) {
      return loses * fabs(dy(row, col) * normalised(row, col)) +
             fabs(dy(row, col)) * normalised_error(row, col);
    });
    return {all, errors + 0x1p-126};
  }

  __device__ Row row(std::int64_t number) const {
    if (problem.is_backward()) return of_backward(number);
    return problem.is_norm() ? of_forward(number) : of_softmax(number);
  }
  __device__ Right at(const Row& row, std::int64_t col) const {
    if (problem.is_backward()) return backward(row, col);
    return problem.is_norm() ? forward(row, col) : softmax(row, col);
  }
};

__global__ void __launch_bounds__(threads) expect_rows(Oracle oracle, ExpectedParts expected) {
  const std::int64_t i = blockIdx.x, cols = oracle.problem.cols;
  const Row row = oracle.row(expected.row[i]);
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const Right right = oracle.at(row, col);
    expected.out[i * cols + col] = right.value;
    expected.tolerance[i * cols + col] = right.tolerance;
  }
  const int side = static_cast<int>(threadIdx.x);
  if (oracle.problem.is_backward() || side >= oracle.problem.sides()) return;
  const Right right = oracle.kept(row, side);
  expected.side[side * expected.places + i] = right.value;
  expected.side_tolerance[side * expected.places + i] = right.tolerance;
}

__global__ void __launch_bounds__(threads) expect_columns(Oracle oracle, ExpectedParts expected) {
  for (int side = 0; side < oracle.problem.sides(); ++side) {
    const Right right = oracle.gradient(expected.place[blockIdx.x], side);
    if (threadIdx.x != 0) continue;
    expected.side[side * expected.places + blockIdx.x] = right.value;
    expected.side_tolerance[side * expected.places + blockIdx.x] = right.tolerance;
  }
}

__device__ const float* side_of(const Problem& problem, const void* out, int side) {
  return reinterpret_cast<const float*>(static_cast<const std::byte*>(out) +
                                        problem.side_offset()) +
         side * problem.side_stride();
}

__global__ void __launch_bounds__(threads, 1)  // else ptxas spills to hold more blocks
    compare_rows_kernel(Oracle oracle, const void* out, Worst* partials) {
  const Problem& problem = oracle.problem;
  Worst mine;
  const auto look = [&](double value, const Right& right, std::int64_t index) {
    const Worst here{fabs(value - right.value), right.tolerance, index};
    if (worse(here, mine)) mine = here;
  };
  for (std::int64_t number = blockIdx.x; number < problem.rows; number += gridDim.x) {
    const Row row = oracle.row(number);
    for (std::int64_t col = threadIdx.x; col < problem.cols; col += threads) {
      const std::int64_t index = number * problem.cols + col;
      look(stored(out, problem.dtype, index), oracle.at(row, col), index);
    }
    const int side = static_cast<int>(threadIdx.x);
    if (!problem.is_backward() && side < problem.sides())
      look(side_of(problem, out, side)[number], oracle.kept(row, side), problem.elements());
  }
  kernels::on_cuda::put_worst(mine, partials);
}

__global__ void __launch_bounds__(threads)
    compare_columns_kernel(Oracle oracle, const void* out, Worst* partials) {
  Worst mine;
  for (std::int64_t col = blockIdx.x; col < oracle.problem.cols; col += gridDim.x)
    for (int side = 0; side < oracle.problem.sides(); ++side) {
      const Right right = oracle.gradient(col, side);
      const double value = side_of(oracle.problem, out, side)[col];
      const Worst here{fabs(value - right.value), right.tolerance, oracle.problem.elements()};
      if (worse(here, mine)) mine = here;
    }
  kernels::on_cuda::put_worst(mine, partials);
}

device::LaunchConfig block_each(std::int64_t count) {
  return {.grid = dim3(static_cast<unsigned>(count)), .block = dim3(threads)};
}

void expect(const Problem& problem, const Inputs& inputs, const ExpectedParts& expected,
            device::Stream& stream) {
  device::launch(block_each(expected.rows), stream, expect_rows, Oracle{problem, inputs}, expected);
  if (problem.is_backward())
    device::launch(block_each(expected.places), stream, expect_columns, Oracle{problem, inputs},
                   expected);
}

void compare_rows(const Problem& problem, const Inputs& inputs, const void* out, Worst* partials,
                  device::Stream& stream) {
  device::launch(block_each(kernels::worst_blocks(problem.rows * threads)), stream,
                 compare_rows_kernel, Oracle{problem, inputs}, out, partials);
}

void compare_columns(const Problem& problem, const Inputs& inputs, const void* out, Worst* partials,
                     device::Stream& stream) {
  device::launch(block_each(kernels::worst_blocks(problem.cols * threads)), stream,
                 compare_columns_kernel, Oracle{problem, inputs}, out, partials);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{expect, compare_rows, compare_columns};
  return &calls;
}

}  // namespace ridgeline::rows::on_cuda
