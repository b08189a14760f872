#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/worst.cuh"
#include "kernels/fusion/device_oracle.hpp"

// A block has a row at a time and computes r of each element three times, in double precision: for
// the mean, for the variance, and for the output. Nothing is kept but sums. Each element gets the
// first-order bound that oracle.cpp explains.

namespace ridgeline::fusion::on_cuda {
namespace {

using kernels::Worst;
using kernels::on_cuda::element;
using kernels::on_cuda::stored;

constexpr int threads = kernels::worst_threads;

/// What dropout multiplies an element with: 0 where 16 of 64 random bits, which are those of four
/// neighbours, are below 6554, a tenth of 65536; otherwise the reciprocal of the rest, in f32.
__device__ double dropout_factor(std::uint64_t seed, std::int64_t index) {
  const std::int64_t group = index / 4, place = index - 4 * group;
  std::uint64_t bits = device::random_bits(seed, static_cast<std::uint64_t>(group));
  for (std::int64_t skipped = 0; skipped < place; ++skipped) bits /= 65536;
  constexpr double kept = 65536 - 6554;
  return bits % 65536 < 6554 ? 0 : static_cast<float>(65536 / kept);
}

/// r of one element, and by how much a variant's may be off.
struct Residual {
  double value, error;
};

__device__ Residual residual_at(const Inputs& inputs, const Roundings& roundings,
                                std::int64_t index, std::int64_t col) {
  const double z = static_cast<double>(element(inputs.x, index)) + element(inputs.bias, col);
  const double g = 0.5 * z * (1 + tanh(gelu_factor * (z + gelu_cubic * z * z * z)));
  const double factor = dropout_factor(inputs.mask_seed, index);
  const double residual = element(inputs.residual, index), r = residual + factor * g;
  constexpr double steepest = 1.13;  // slope of GELU
  return {r, 16 * roundings.sums * (fabs(z) + fabs(residual) + fabs(r)) +
                 roundings.residual * fabs(r) +
                 roundings.before * factor * (steepest * fabs(z) + 2 * fabs(g))};
}

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Larger {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
/// Over all threads of the block, on all of them.
template <class Combine>
__device__ double over_block(double value, Combine combine) {
  __shared__ double shared[threads];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned others = threads / 2; others > 0; others /= 2) {
    if (threadIdx.x < others)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + others]);
    __syncthreads();
  }
  value = shared[0];
  __syncthreads();
  return value;
}

struct Row {
  double mean, mean_error;           // and by how much a variant's may be off
  double deviation, relative_error;  // of s = sqrt(variance + epsilon)
};

__device__ Row row_of(std::int64_t row, std::int64_t cols, const Inputs& inputs,
                      const Roundings& roundings) {
  double sum = 0, size = 0, errors = 0, most = 0, squares = 0;
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const Residual r = residual_at(inputs, roundings, row * cols + col, col);
    sum += r.value;
    size += fabs(r.value);
    errors += r.error;
    most = fmax(most, r.error);
  }
  const double n = static_cast<double>(cols), sums = 4 * sqrt(n) * roundings.sums;
  Row of;
  of.mean = over_block(sum, Add{}) / n;
  of.mean_error = (over_block(errors, Add{}) + sums * over_block(size, Add{})) / n;
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const double apart = residual_at(inputs, roundings, row * cols + col, col).value - of.mean;
    squares += apart * apart;
  }
  of.deviation = sqrt(over_block(squares, Add{}) / n + epsilon);
  of.relative_error = over_block(most, Larger{}) / of.deviation + sums + 4 * roundings.sums;
  return of;
}

/// An element of the output and its tolerance.
struct Expected {
  double out, tolerance;
};

__device__ Expected expected_at(const Row& row, std::int64_t index, std::int64_t col,
                                const Inputs& inputs, const Roundings& roundings) {
  const Residual r = residual_at(inputs, roundings, index, col);
  const double gamma = element(inputs.gamma, col), beta = element(inputs.beta, col);
  const double y = (r.value - row.mean) / row.deviation, out = y * gamma + beta;
  const double y_error = (r.error + row.mean_error) / row.deviation + fabs(y) * row.relative_error;
  return {out, fabs(gamma) * y_error + 4 * roundings.sums * (fabs(gamma * y) + fabs(beta)) +
                   roundings.out * fabs(out) + roundings.underflow};
}

__global__ void __launch_bounds__(threads)
    expect_kernel(std::int64_t cols, Inputs inputs, Roundings roundings, ExpectedRows expected) {
  const std::int64_t i = blockIdx.x, row = expected.picked[i];
  const Row of = row_of(row, cols, inputs, roundings);
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const Expected here = expected_at(of, row * cols + col, col, inputs, roundings);
    expected.out[i * cols + col] = here.out;
    expected.tolerances[i * cols + col] = here.tolerance;
  }
}

__global__ void __launch_bounds__(threads)
    compare_kernel(Problem problem, Inputs inputs, Roundings roundings, const void* out,
                   Worst* partials) {
  const std::int64_t cols = problem.cols;
  Worst mine;
  for (std::int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    const Row of = row_of(row, cols, inputs, roundings);
    for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
      const std::int64_t index = row * cols + col;
      const Expected right = expected_at(of, index, col, inputs, roundings);
      const Worst here{fabs(stored(out, problem.dtype, index) - right.out), right.tolerance, index};
      if (worse(here, mine)) mine = here;
    }
  }
  kernels::on_cuda::put_worst(mine, partials);
}

void expect(const Problem& problem, const Inputs& inputs, const Roundings& roundings,
            const ExpectedRows& expected, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(expected.count)), .block = dim3(threads)},
                 stream, expect_kernel, problem.cols, inputs, roundings, expected);
}

void compare(const Problem& problem, const Inputs& inputs, const Roundings& roundings,
             const void* out, Worst* partials, device::Stream& stream) {
  device::launch(
      {.grid = dim3(static_cast<unsigned>(kernels::worst_blocks(problem.rows * threads))),
       .block = dim3(threads)},
      stream, compare_kernel, problem, inputs, roundings, out, partials);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{expect, compare};
  return &calls;
}

}  // namespace ridgeline::fusion::on_cuda
