#include "kernels/attention_backward/device_oracle.hpp"
#include "kernels/attention_backward/oracle_tiles.cuh"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/worst.cuh"

// Expected rows in double precision, and beside them the same in plain steps of the problem's
// precision; oracle.cpp has the words. A warp has a row, and takes the rows of the other side 32 at
// a time: a lane computes what one of them contributes, then each lane adds up its dimensions.
// Inputs are made again where they are needed.

namespace ridgeline::attention_backward::on_cuda {
namespace {

using namespace of_oracle;
using kernels::Worst;
using kernels::on_cuda::rounded;
using kernels::on_cuda::stored;

/// Blocks: rows of queries, heads.
__global__ void __launch_bounds__(threads)
    forward_kernel(Problem problem, Inputs inputs, RowStatistics* statistics, void* o,
                   float* logarithms) {
  __shared__ Tile<warps> own;
  __shared__ Tile<others> tile;
  const int dim = static_cast<int>(problem.dim), lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t seq = problem.seq, head = blockIdx.y, kv_head = head / problem.group(),
                     first = std::int64_t{blockIdx.x} * warps, i = first + warp;
  const double scale = 1 / sqrt(static_cast<double>(dim));
  const auto plain_scale = static_cast<float>(scale);
  own.bring(inputs.q, inputs.d_o, dim, [&](int row) {
    return first + row < seq ? head * seq + first + row : std::int64_t{-1};
  });
  const auto each_tile = [&](auto use) {
    for (std::int64_t j0 = 0; j0 < seq; j0 += others) {
      if (problem.mask == Mask::causal && j0 >= first + warps) break;
      __syncthreads();
      tile.bring(inputs.k, inputs.v, dim, [&](int row) {
        return j0 + row < seq ? kv_head * seq + j0 + row : std::int64_t{-1};
      });
      __syncthreads();
      const Product score(own.a[warp], tile.a[lane], dim);
      use(sees(problem, i, j0 + lane), score.exact * scale,
          rounded(score.plain * plain_scale, problem.dtype));
    }
  };
  // Each lane's own keys first, then all together.
  double largest = -INFINITY, sum = 0;
  float plain_largest = -INFINITY, plain_sum = 0;
  each_tile([&](bool visible, double score, float plain) {
    if (!visible) return;
    const double most = fmax(largest, score);
    sum = sum * exp(largest - most) + exp(score - most);
    largest = most;
    const float plain_most = fmaxf(plain_largest, plain);
    plain_sum = plain_sum * expf(plain_largest - plain_most) + expf(plain - plain_most);
    plain_largest = plain_most;
  });
  const double most = over_warp(largest, Largest{});
  const float plain_most = over_warp(plain_largest, Largest{});
  sum = over_warp(largest == -INFINITY ? 0 : sum * exp(largest - most), Sum{});
  plain_sum = over_warp(
      plain_largest == -INFINITY ? 0.0f : plain_sum * expf(plain_largest - plain_most), Sum{});
  const double logarithm = most + log(sum);
  double exact_o[own_dims] = {};
  float plain_o[own_dims] = {};
  each_tile([&](bool visible, double score, float plain) {
    const double p = visible ? exp(score - logarithm) : 0;
    const float plain_p =
        visible ? rounded(expf(plain - plain_most) / plain_sum, problem.dtype) : 0.0f;
    for (int other = 0; other < others; ++other)
#pragma unroll
      for (int own_d = 0; own_d < own_dims; ++own_d) {
        const int d = lane + 32 * own_d;
        exact_o[own_d] += of_lane(p, other) * static_cast<double>(tile.b[other][d]);
        plain_o[own_d] += of_lane(plain_p, other) * tile.b[other][d];
      }
  });
  double d_sum = 0, w = 0, d_size = 0;
  float plain_d = 0;
#pragma unroll
  for (int own_d = 0; own_d < own_dims; ++own_d) {
    const int d = lane + 32 * own_d;
    if (d >= dim) continue;
    const double part = exact_o[own_d] * static_cast<double>(own.b[warp][d]);
    d_sum += part;
    w += part * part;
    d_size += fabs(part);
    plain_d += rounded(plain_o[own_d], problem.dtype) * own.b[warp][d];
    if (i >= seq) continue;
    const std::int64_t at = (head * seq + i) * dim + d;
    const auto value = static_cast<float>(exact_o[own_d]);
    if (problem.dtype == DType::bf16)
      static_cast<unsigned short*>(o)[at] = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    else if (problem.dtype == DType::f16)
      static_cast<unsigned short*>(o)[at] = __half_as_ushort(__float2half_rn(value));
    else
      static_cast<float*>(o)[at] = value;
  }
  d_sum = over_warp(d_sum, Sum{});
  w = over_warp(w, Sum{});
  d_size = over_warp(d_size, Sum{});
  plain_d = over_warp(plain_d, Sum{});
  if (lane != 0 || i >= seq) return;
  RowStatistics& to = statistics[head * seq + i];
  to.logarithm = logarithm;
  to.d = d_sum;
  to.w = w;
  to.d_size = d_size;
  to.plain_largest = plain_most;
  to.plain_sum = plain_sum;
  to.plain_d = plain_d;
  logarithms[head * seq + i] = static_cast<float>(logarithm);
}

/// What a pair of a query and a key contributes, or a lane's sum of it times elements.
struct Sums {
  double exact = 0, squares = 0, size = 0, column = 0;
  float plain = 0;

  template <bool columns>
  __device__ void add(const Sums& mine, int lane, float other) {
    const double x = other;
    exact += of_lane(mine.exact, lane) * x;
    squares += of_lane(mine.squares, lane) * x * x;
    size += of_lane(mine.size, lane) * fabs(x);
    if (columns) column += of_lane(mine.column, lane) * x;
    plain += of_lane(mine.plain, lane) * other;
  }
};

/// A row's outputs and its tolerance, as oracle.cpp defines it; one warp.
__device__ void write_row(const Problem& problem, const Sums (&sums)[own_dims], double w,
                          double scale, double score, double unit_of_elements, double unit_of_sums,
                          std::int64_t row, const ExpectedRows& to) {
  const int dim = static_cast<int>(problem.dim), lane = static_cast<int>(threadIdx.x) % 32;
  double error = 0, output = 0, squares = 0, size = 0;
#pragma unroll
  for (int own_d = 0; own_d < own_dims; ++own_d) {
    const int d = lane + 32 * own_d;
    if (d >= dim) continue;
    const Sums& of = sums[own_d];
    const double exact = of.exact * scale;
    const float plain = rounded(of.plain * static_cast<float>(scale), problem.dtype);
    to.values[row * dim + d] = exact;
    error = fmax(error, fabs(static_cast<double>(plain) - exact));
    output = fmax(output, fabs(exact));
    squares = fmax(squares, (of.squares + w * of.column * of.column) * scale * scale);
    size = fmax(size, of.size * scale);
  }
  error = over_warp(error, Largest{});
  output = over_warp(output, Largest{});
  squares = over_warp(squares, Largest{});
  size = over_warp(size, Largest{});
  if (lane == 0)
    to.tolerances[row] = 2 * error + unit_of_elements * (2 * output + 6 * sqrt(squares)) +
                         unit_of_sums * (2 * (dim + 4) * (score + 1) + 16) * size;
}

/// dQ of rows of queries, or dK and dV of rows of keys. Blocks: rows, heads.
template <bool of_keys>
__global__ void __launch_bounds__(threads, 1)
    gradients_kernel(Problem problem, Inputs inputs, const RowStatistics* statistics, Rows rows,
                     double unit_of_elements, double unit_of_sums, ExpectedRows first,
                     ExpectedRows second) {
  __shared__ Tile<warps> own;
  __shared__ Tile<others> tile;
  const int dim = static_cast<int>(problem.dim), lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t seq = problem.seq, head = rows.head + blockIdx.y,
                     row = std::int64_t{blockIdx.x} * warps + warp,
                     mine = row < rows.count ? rows[row] : seq;
  const double scale = 1 / sqrt(static_cast<double>(dim));
  own.bring(of_keys ? inputs.k : inputs.q, of_keys ? inputs.v : inputs.d_o, dim, [&](int of_warp) {
    const std::int64_t at = std::int64_t{blockIdx.x} * warps + of_warp;
    return at < rows.count ? head * seq + rows[at] : std::int64_t{-1};
  });
  Sums of_ds[own_dims], of_p[own_dims];
  double largest_score = 0;
  const std::int64_t begin = of_keys ? head * problem.group() : head / problem.group(),
                     end = of_keys ? begin + problem.group() : begin + 1;
  for (std::int64_t at = begin * seq; at < end * seq; at += others) {
    // Tiles may lie in two heads: each lane asks where it is.
    __syncthreads();
    tile.bring(of_keys ? inputs.q : inputs.k, of_keys ? inputs.d_o : inputs.v, dim,
               [&](int other) { return at + other < end * seq ? at + other : std::int64_t{-1}; });
    __syncthreads();
    const std::int64_t other = at + lane < end * seq ? (at + lane) % seq : seq,
                       query = of_keys ? other : mine, key = of_keys ? mine : other;
    const bool visible = sees(problem, query, key);
    Sums ds, p;
    if (visible) {
      const RowStatistics& of = statistics[of_keys ? at + lane : head * seq + mine];
      const Product score(own.a[warp], tile.a[lane], dim), dp(own.b[warp], tile.b[lane], dim);
      const double s = score.exact * scale, squared_w = of_keys ? of.w : 0;
      largest_score = fmax(largest_score, score.size * scale);
      p.exact = exp(s - of.logarithm);
      p.squares = p.exact * p.exact * (1 + s * s);
      p.size = size_of_probability(p.exact);
      p.plain = rounded(
          expf(rounded(score.plain * static_cast<float>(scale), problem.dtype) - of.plain_largest) /
              of.plain_sum,
          problem.dtype);
      ds.exact = p.exact * (dp.exact - of.d);
      ds.squares =
          ds.exact * ds.exact * (2 + s * s) + p.exact * p.exact * (dp.exact * dp.exact + squared_w);
      ds.size = p.size * (dp.size + of.d_size);
      ds.column = of_keys ? 0 : p.exact;
      ds.plain = rounded(p.plain * (rounded(dp.plain, problem.dtype) - of.plain_d), problem.dtype);
    }
    for (int from = 0; from < others; ++from)
#pragma unroll
      for (int own_d = 0; own_d < own_dims; ++own_d) {
        const int d = lane + 32 * own_d;
        of_ds[own_d].template add<!of_keys>(ds, from, tile.a[from][d]);
        if (of_keys) of_p[own_d].template add<false>(p, from, tile.b[from][d]);
      }
  }
  largest_score = over_warp(largest_score, Largest{});
  if (row >= rows.count) return;
  const std::int64_t to = blockIdx.y * rows.count + row;
  write_row(problem, of_ds, of_keys ? 0 : statistics[head * seq + mine].w, scale, largest_score,
            unit_of_elements, unit_of_sums, to, first);
  if (of_keys)
    write_row(problem, of_p, 0, 1, largest_score, unit_of_elements, unit_of_sums, to, second);
}

device::LaunchConfig blocks_of(std::int64_t rows, std::int64_t heads) {
  return {.grid = dim3(device::blocks_for(rows, warps), static_cast<unsigned>(heads)),
          .block = dim3(threads)};
}

void forward(const Problem& problem, const Inputs& inputs, RowStatistics* statistics, void* o,
             float* logarithms, device::Stream& stream) {
  device::launch(blocks_of(problem.seq, problem.all_heads()), stream, forward_kernel, problem,
                 inputs, statistics, o, logarithms);
}

void expect_dq(const Problem& problem, const Inputs& inputs, const RowStatistics* statistics,
               const Rows& rows, const ExpectedRows& dq, device::Stream& stream) {
  device::launch(blocks_of(rows.count, rows.heads), stream, gradients_kernel<false>, problem,
                 inputs, statistics, rows, unit_roundoff(problem.dtype), unit_roundoff(DType::f32),
                 dq, ExpectedRows{});
}
void expect_dk_dv(const Problem& problem, const Inputs& inputs, const RowStatistics* statistics,
                  const Rows& rows, const ExpectedRows& dk, const ExpectedRows& dv,
                  device::Stream& stream) {
  device::launch(blocks_of(rows.count, rows.heads), stream, gradients_kernel<true>, problem, inputs,
                 statistics, rows, unit_roundoff(problem.dtype), unit_roundoff(DType::f32), dk, dv);
}

struct CompareRows {
  Problem problem;
  Rows rows;
  ExpectedRows expected;
  const void* output;

  __device__ Worst operator()(std::int64_t i) const {
    const std::int64_t row = i / problem.dim, head = rows.head + row / rows.count;
    const std::int64_t at =
        (head * problem.seq + rows[row % rows.count]) * problem.dim + i % problem.dim;
    return {fabs(stored(output, problem.dtype, at) - expected.values[i]), expected.tolerances[row],
            at};
  }
};
void compare(const Problem& problem, const Rows& rows, const ExpectedRows& expected,
             const void* output, Worst* partials, device::Stream& stream) {
  kernels::on_cuda::find_worst(rows.all() * problem.dim,
                               CompareRows{problem, rows, expected, output}, partials, stream);
}

struct IsPoison {
  DType dtype;
  const void* output;

  /// None where there is a finite number, so that it hides no error of those that are compared.
  __device__ Worst operator()(std::int64_t i) const {
    const float value = stored(output, dtype, i), gone = value - value;
    return gone == 0 ? Worst{} : Worst{static_cast<double>(gone), 0, i};
  }
};
void find_poison(const Problem& problem, std::int64_t count, const void* output, Worst* partials,
                 device::Stream& stream) {
  kernels::on_cuda::find_worst(count, IsPoison{problem.dtype, output}, partials, stream);
}

}  // namespace

DeviceOracle oracle() {
  static constexpr OracleCalls calls{forward, expect_dq, expect_dk_dv, compare, find_poison};
  return &calls;
}

}  // namespace ridgeline::attention_backward::on_cuda
