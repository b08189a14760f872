#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/worst.cuh"
#include "kernels/gemm/device_oracle.hpp"

// The product in double precision, and beside each element the sum of its products' sizes. Inputs
// are made again where they are needed, so that nothing but results is in memory.

namespace ridgeline::gemm::on_cuda {
namespace {

using kernels::Elements;
using kernels::Worst;
using kernels::on_cuda::element;
using kernels::on_cuda::stored;

// A block has a tile of 64 x 64 elements of C, a thread 4 x 4 of them, each `side` apart.
constexpr int tile = 64, depth = 16, each = 4, side = tile / each, threads = side * side;

__global__ void __launch_bounds__(threads, 1)
    expect_kernel(Problem problem, Inputs inputs, Rows rows, ExpectedRows expected,
                  std::int64_t tile_columns) {
  __shared__ double a[depth][tile], b[depth][tile];
  const std::int64_t n = problem.n, k = problem.k;
  const std::int64_t i0 = blockIdx.x / tile_columns * tile, j0 = blockIdx.x % tile_columns * tile;
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
  double sum[each][each], size[each][each];
#pragma unroll
  for (int r = 0; r < each; ++r)
#pragma unroll
    for (int s = 0; s < each; ++s) sum[r][s] = size[r][s] = 0;

  for (std::int64_t p0 = 0; p0 < k; p0 += depth) {
    // Zeros beyond the edges add nothing.
    for (int index = static_cast<int>(threadIdx.x); index < depth * tile; index += threads) {
      const int q = index / tile, e = index % tile;
      const std::int64_t i = i0 + e, p = p0 + q, j = j0 + e;
      a[q][e] = i < rows.count && p < k ? element(inputs.a, rows[i] * k + p) : 0.0f;
      b[q][e] = p < k && j < n ? element(inputs.b, p * n + j) : 0.0f;
    }
    __syncthreads();
    for (int q = 0; q < depth; ++q) {
#pragma unroll
      for (int r = 0; r < each; ++r) {
        const double left = a[q][y + r * side];
#pragma unroll
        for (int s = 0; s < each; ++s) {
          const double right = b[q][x + s * side];
          sum[r][s] += left * right;
          size[r][s] += fabs(left) * fabs(right);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < each; ++r) {
#pragma unroll
    for (int s = 0; s < each; ++s) {
      const std::int64_t i = i0 + y + r * side, j = j0 + x + s * side;
      if (i >= rows.count || j >= n) continue;
      expected.c[i * n + j] = sum[r][s];
      expected.magnitude[i * n + j] = static_cast<float>(size[r][s]);
    }
  }
}

void expect(const Problem& problem, const Inputs& inputs, const Rows& rows,
            const ExpectedRows& expected, device::Stream& stream) {
  const std::int64_t tile_rows = (rows.count + tile - 1) / tile,
                     tile_columns = (problem.n + tile - 1) / tile;
  device::launch(
      {.grid = dim3(static_cast<unsigned>(tile_rows * tile_columns)), .block = dim3(threads)},
      stream, expect_kernel, problem, inputs, rows, expected, tile_columns);
}

struct CompareRows {
  std::int64_t n;
  Rows rows;
  ExpectedRows expected;
  Output output;

  __device__ Worst operator()(std::int64_t i) const {
    const double right = expected.c[i],
                 found = stored(output.c, output.stored, rows[i / n] * n + i % n);
    const double excess = fabs(found - right) - output.measure.final_rounding * fabs(right) -
                          output.measure.underflow;
    if (excess <= 0) return {0, output.measure.tolerance, i};
    return {excess / expected.magnitude[i], output.measure.tolerance, i};  // NaN when `found` is
  }
};

void compare(const Problem& problem, const Rows& rows, const ExpectedRows& expected,
             const Output& output, Worst* partials, device::Stream& stream) {
  kernels::on_cuda::find_worst(rows.count * problem.n,
                               CompareRows{problem.n, rows, expected, output}, partials, stream);
}

/// Euclidean norms of `count` vectors of `length` elements, a warp each. Rounded up, since they
/// bound.
__global__ void __launch_bounds__(threads)
    norms_kernel(Elements of, std::int64_t count, std::int64_t length, std::int64_t between_vectors,
                 std::int64_t between_elements, double* norms) {
  const std::int64_t vector =
      (std::int64_t{blockIdx.x} * threads + static_cast<int>(threadIdx.x)) / 32;
  if (vector >= count) return;
  double squares = 0;
  for (std::int64_t p = threadIdx.x % 32; p < length; p += 32) {
    const double value = element(of, vector * between_vectors + p * between_elements);
    squares += value * value;
  }
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xFFFFFFFFu, squares, step);
  if (threadIdx.x % 32 == 0) norms[vector] = sqrt(squares) * (1 + 1e-9);
}

void norms(const Problem& problem, const Inputs& inputs, double* a_norms, double* b_norms,
           device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  device::launch({.grid = dim3(device::blocks_for(m, threads / 32)), .block = dim3(threads)},
                 stream, norms_kernel, inputs.a, m, k, k, std::int64_t{1}, a_norms);
  device::launch({.grid = dim3(device::blocks_for(n, threads / 32)), .block = dim3(threads)},
                 stream, norms_kernel, inputs.b, n, k, std::int64_t{1}, n, b_norms);
}

// Two right outputs c and d of one product r differ by at most the sum of what each may differ from
// r. For the magnitude M = sum |a_p| |b_p| stands B >= M, the product of the norms of the row of A
// and of the column of B (Cauchy and Schwarz); for |r| what follows from the reference d, which is
//   |r| <= (|d| + s_d/2 + tolerance_d B) / (1 - u_d).
// What remains of |c - d| after both final roundings is told relative to B, and both tolerances add
// up. For uniform elements B is 4/3 of M, so this is some 3 times as tolerant as the oracle.
struct CompareOutputs {
  std::int64_t n;
  Output output;
  Reference reference;

  __device__ Worst operator()(std::int64_t i) const {
    const Measure &mine = output.measure, &other = reference.output.measure;
    const double found = stored(output.c, output.stored, i),
                 right = stored(reference.output.c, reference.output.stored, i);
    const double bound = reference.a_norms[i / n] * reference.b_norms[i % n];
    const double size =
        (fabs(right) + other.underflow + other.tolerance * bound) / (1 - other.final_rounding);
    const double excess = fabs(found - right) -
                          (mine.final_rounding + other.final_rounding) * size - mine.underflow -
                          other.underflow;
    const double tolerance = mine.tolerance + other.tolerance;
    if (excess <= 0) return {0, tolerance, i};
    return {excess / bound, tolerance, i};
  }
};

void compare_outputs(const Problem& problem, const Output& output, const Reference& reference,
                     Worst* partials, device::Stream& stream) {
  kernels::on_cuda::find_worst(problem.m * problem.n, CompareOutputs{problem.n, output, reference},
                               partials, stream);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{kernels::on_cuda::write_elements, expect, compare, norms,
                                     compare_outputs};
  return &calls;
}

}  // namespace ridgeline::gemm::on_cuda
