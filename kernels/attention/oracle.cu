#include "kernels/attention/device_oracle.hpp"
#include "kernels/attention/oracle_rows.cuh"
#include "kernels/cuda/worst.cuh"

// Which steps make an expected output, and how outputs are compared. The steps are in
// oracle_rows.cuh.

namespace ridgeline::attention::on_cuda {
namespace {

using kernels::Worst;
using kernels::on_cuda::element;
using kernels::on_cuda::stored;

unsigned tiles(std::int64_t count, int tile) { return device::blocks_for(count, tile); }

/// Scores of the queries, and what all keys of a row amount to.
void start_scores(const Problem& problem, const Inputs& inputs, const Queries& queries,
                  const Scratch& scratch, device::Stream& stream) {
  device::launch({.grid = dim3(tiles(problem.seq, tile), tiles(queries.count, tile),
                               static_cast<unsigned>(queries.heads)),
                  .block = dim3(threads)},
                 stream, scores_kernel, problem, inputs, queries, scratch);
  device::launch({.grid = dim3(tiles(queries.rows(), threads / 32)), .block = dim3(threads)},
                 stream, softmax_kernel, problem, queries, scratch);
}

/// The tolerance of each row, as oracle.cpp defines it; a warp has a row.
__global__ void __launch_bounds__(threads)
    tolerances_kernel(std::int64_t dim, std::int64_t rows, Roundings roundings, Scratch scratch,
                      ExpectedRows expected) {
  const std::int64_t row =
      (std::int64_t{blockIdx.x} * threads + static_cast<int>(threadIdx.x)) / 32;
  if (row >= rows) return;
  double error = 0, output = 0, size = 0, squares = 0;
  for (std::int64_t i = row * dim + threadIdx.x % 32; i < (row + 1) * dim; i += 32) {
    error = fmax(error, fabs(scratch.plain_o[i] - expected.o[i]));
    output = fmax(output, fabs(expected.o[i]));
    size = fmax(size, scratch.sizes[i]);
    squares = fmax(squares, scratch.squares[i]);
  }
  error = over_warp(error, Largest{});
  output = over_warp(output, Largest{});
  size = over_warp(size, Largest{});
  squares = over_warp(squares, Largest{});
  if (threadIdx.x % 32 == 0)
    expected.tolerances[row] =
        2 * error + roundings.elements * (2 * output + 6 * sqrt(squares)) +
        roundings.sums * (2 * static_cast<double>(dim + 4) * scratch.rows[row].score + 8) * size;
}

void expect(const Problem& problem, const Inputs& inputs, const Queries& queries,
            const Roundings& roundings, void* memory, const ExpectedRows& expected,
            device::Stream& stream) {
  const Scratch scratch = scratch_in(memory, problem, queries.rows());
  start_scores(problem, inputs, queries, scratch, stream);
  device::launch({.grid = dim3(tiles(problem.dim, tile), tiles(queries.count, row_tile),
                               static_cast<unsigned>(queries.heads)),
                  .block = dim3(threads)},
                 stream, outputs_kernel, problem, inputs, queries, scratch, expected.o);
  device::launch({.grid = dim3(tiles(queries.rows(), threads / 32)), .block = dim3(threads)},
                 stream, tolerances_kernel, problem.dim, queries.rows(), roundings, scratch,
                 expected);
}

__global__ void __launch_bounds__(threads)
    sensitivity_kernel(std::int64_t rows, Scratch scratch, RowSensitivity* of) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + static_cast<int>(threadIdx.x);
  if (row >= rows) return;
  of[row].score = scratch.rows[row].score;
  of[row].spread = scratch.rows[row].spread;
  of[row].moved = scratch.rows[row].moved;
}

void sensitivity(const Problem& problem, const Inputs& inputs, const Queries& queries, void* memory,
                 RowSensitivity* of, device::Stream& stream) {
  const Scratch scratch = scratch_in(memory, problem, queries.rows());
  start_scores(problem, inputs, queries, scratch, stream);
  device::launch({.grid = dim3(tiles(queries.rows(), threads)), .block = dim3(threads)}, stream,
                 sensitivity_kernel, queries.rows(), scratch, of);
}

struct CompareRows {
  Problem problem;
  Queries queries;
  ExpectedRows expected;
  const void* o;

  __device__ Worst operator()(std::int64_t i) const {
    const std::int64_t row = i / problem.dim, head = queries.head + row / queries.count;
    const std::int64_t at =
        (head * problem.seq + queries[row % queries.count]) * problem.dim + i % problem.dim;
    return {fabs(stored(o, problem.dtype, at) - expected.o[i]), expected.tolerances[row], at};
  }
};

void compare(const Problem& problem, const Queries& queries, const ExpectedRows& expected,
             const void* o, Worst* partials, device::Stream& stream) {
  kernels::on_cuda::find_worst(queries.rows() * problem.dim,
                               CompareRows{problem, queries, expected, o}, partials, stream);
}

/// max |v| of each head of V, one block a head.
__global__ void __launch_bounds__(threads)
    largest_values_kernel(Elements v, std::int64_t head_size, double* largest) {
  __shared__ double of_warp[threads / 32];
  double most = 0;
  for (std::int64_t i = threadIdx.x; i < head_size; i += threads)
    most = fmax(most, fabs(static_cast<double>(element(v, blockIdx.x * head_size + i))));
  most = over_warp(most, Largest{});
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) most = fmax(most, of_warp[warp]);
  largest[blockIdx.x] = most;
}

// Two right outputs differ by at most the sum of what each may be off. In any order of steps, an
// output with unit roundoff u of its elements is off by at most
//   u (2 max|o| + 6 r) + u_f32 (2 (dim + 4) s + 8 + 8 sqrt(keys)) V,    V = max|v| of the head,
// for the reasons that oracle.cpp gives, where in place of what would take as long as the output:
// - V >= sum p |v|, since probabilities add up to 1;
// - r^2 = sum p^2 v^2 + sum (s p)^2 (v - o)^2 <= V^2 sum p^2 + (V + max|o|)^2 sum (s p)^2;
// - 4 sqrt(keys) u_f32 for the sum of exponentials and as much for the sum of products stand for
//   the errors of plain steps (the bound of Higham and Mary, see kernels/gemm/measure.hpp);
// - a probability that is no normal number of its type is off by at most t, and so is an output:
//   with r, the sum of the roundings grows by t^2 V^2 for each key, under the same root;
// - max|o| is the reference's, which is in f32, with what it is off itself, u = u_f32.
/// A warp has a row.
__global__ void __launch_bounds__(threads)
    tolerances_of_outputs_kernel(Problem problem, std::int64_t rows,
                                 const RowSensitivity* sensitivities, Roundings roundings,
                                 const float* reference, const double* largest_values,
                                 double* tolerances) {
  const std::int64_t row =
      (std::int64_t{blockIdx.x} * threads + static_cast<int>(threadIdx.x)) / 32;
  const std::int64_t seq = problem.seq, dim = problem.dim;
  if (row >= rows) return;
  double most = 0;
  for (std::int64_t d = threadIdx.x % 32; d < dim; d += 32)
    most = fmax(most, fabs(static_cast<double>(reference[row * dim + d])));
  most = over_warp(most, Largest{});
  const RowSensitivity& of = sensitivities[row];
  const double value = largest_values[first_key(problem, row / seq) / seq],
               keys = static_cast<double>(seen(problem, row % seq));
  const double sums =
      roundings.sums * (2 * static_cast<double>(dim + 4) * of.score + 8 + 8 * sqrt(keys)) * value;
  const auto off = [&](double u, double underflow, double output) {
    const double r =
        u * sqrt(value * value * of.spread + (value + output) * (value + output) * of.moved);
    const double small = underflow * value * sqrt(keys);
    return 2 * u * output + underflow + 6 * sqrt(r * r + small * small) + sums;
  };
  const double of_reference = off(roundings.sums, 0, most);
  if (threadIdx.x % 32 == 0)
    tolerances[row] =
        of_reference + off(roundings.elements, roundings.underflow, most + 2 * of_reference);
}

void tolerances(const Problem& problem, const Inputs& inputs, const RowSensitivity* sensitivities,
                const Roundings& roundings, const float* reference, double* largest_values,
                double* tolerances, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(problem.all_heads() / problem.group())),
                  .block = dim3(threads)},
                 stream, largest_values_kernel, inputs.v, problem.seq * problem.dim,
                 largest_values);
  const std::int64_t rows = problem.all_heads() * problem.seq;
  device::launch({.grid = dim3(tiles(rows, threads / 32)), .block = dim3(threads)}, stream,
                 tolerances_of_outputs_kernel, problem, rows, sensitivities, roundings, reference,
                 largest_values, tolerances);
}

struct CompareOutputs {
  Problem problem;
  const void* o;
  const float* reference;
  const double* tolerances;

  __device__ Worst operator()(std::int64_t i) const {
    return {fabs(static_cast<double>(stored(o, problem.dtype, i)) - reference[i]),
            tolerances[i / problem.dim], i};
  }
};

void compare_outputs(const Problem& problem, const void* o, const float* reference,
                     const double* tolerances, Worst* partials, device::Stream& stream) {
  kernels::on_cuda::find_worst(problem.elements(),
                               CompareOutputs{problem, o, reference, tolerances}, partials, stream);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{kernels::on_cuda::write_elements,
                                     scratch_bytes,
                                     expect,
                                     compare,
                                     sensitivity,
                                     tolerances,
                                     compare_outputs};
  return &calls;
}

}  // namespace ridgeline::attention::on_cuda
