#include "kernels/gemm/cuda/sm_90a/pairs.cuh"
#include "kernels/gemm/cuda/split_halves.cuh"
#include "kernels/ptx/registers.cuh"

// `split_products` by wgmma, on what `persistent_clusters` has: C = high high + high low + low
// high, six products of halves for each stage of 32 steps along K, whose columns of A and rows of B
// are 16 high, 16 low, 16 high, 16 low ones. Tensor cores cut sums off where f32 rounds, and over a
// long K what is lost adds up: so they add a stage alone, from zero, and threads add these sums as
// f32. Registers suffice for half of the tile's columns at a time; while a warpgroup adds, the
// other one's products are under way. Bound by the tensor cores; splitting, which is bound by
// memory, comes before.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr unsigned split_bytes = pair_stages * stage_bytes + pattern_bytes;
constexpr int split_band = 8;
constexpr int half_n = tile_n / 2, half_sums = half_n / 2;  // columns, and sums a thread

/// Starts the products of a stage for half of the tile's columns, as one group. Small ones first.
__device__ __forceinline__ void multiply_halves(float (&parts)[half_sums], std::uint64_t left,
                                                std::uint64_t right) {
  constexpr unsigned next_a = together * 2 / 16, next_b = together * row_bytes / 16;
  constexpr unsigned steps[][2] = {{0, 1}, {2, 3}, {1, 0}, {3, 2}, {0, 0}, {2, 2}};
  ptx::products_begin();
#pragma unroll
  for (int i = 0; i < 6; ++i)
    ptx::multiply_transposed(ptx::F16{}, parts, left + steps[i][0] * next_a,
                             right + steps[i][1] * next_b, i != 0);
  ptx::products_commit();
}

/// `even` promises that n is.
template <bool even>
__global__ void __launch_bounds__(pair_threads, 1)
    split_products_wgmma_kernel(const __grid_constant__ device::TensorMap a,
                                const __grid_constant__ device::TensorMap b, const int2* row_scales,
                                const int2* column_scales, float* c, std::int64_t m, std::int64_t n,
                                PairTiles tiles) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ PairBarriers barriers;
  unsigned char* const ring = first_tile(dynamic);
  const int thread = static_cast<int>(threadIdx.x);
  barriers.begin();
  if (thread >= pair_multiplying) {
    ptx::give_registers<40>();
    if (thread == pair_multiplying) load_pairs(ring, barriers, a, b, tiles);
    return;
  }
  ptx::take_registers<232>();
  const Factors factors(ring, warpgroup_of_thread());
  ptx::Turn<pair_stages> turn;
  for (int index = tiles.first(); index < tiles.order.count(); index += tiles.step()) {
    float sums[2][half_sums] = {};
    for (int chunk = 0; chunk < tiles.chunks; ++chunk, turn.next()) {
      ptx::barrier_wait(&barriers.full[turn.stage], turn.parity);
      const std::uint64_t at = turn.stage * (stage_bytes / 16);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float parts[half_sums];
        multiply_halves(parts, factors.left + at,
                        factors.right + at + half * (half_n / box_n * box_bytes / 16));
        ptx::products_wait<0>(parts);
        if (half == 1) barriers.give_back(turn.stage);
#pragma unroll
        for (int i = 0; i < half_sums; ++i) sums[half][i] += parts[i];
      }
    }
    const Order::Place at = tiles.place(index);
    const std::int64_t row = at.row + thread / 32 * 16 + thread % 32 / 4,
                       column = at.column + thread % 4 * 2;
    const int inside = static_cast<int>(min(n - column, std::int64_t{tile_n})),
              upper = row < m ? inside : 0, lower = row + 8 < m ? inside : 0;
    const int2 none{}, of_upper = row < m ? row_scales[row] : none,
                       of_lower = row + 8 < m ? row_scales[row + 8] : none;
    float *const to_upper = c + row * n + column, *const to_lower = to_upper + 8 * n;
    const int2* const of_columns = column_scales + column;
#pragma unroll
    for (int square = 0; square < tile_n / 8; ++square) {
      const int on = square * 8;
      const int4 scales = scales_of_columns(of_columns + on, inside - on);
      const float* const four = &sums[on / half_n][on % half_n / 2];
      store_scaled_back<even>(to_upper + on, upper - on, of_upper, scales, four[0], four[1]);
      store_scaled_back<even>(to_lower + on, lower - on, of_lower, scales, four[2], four[3]);
    }
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Halves halves = split(problem, operands, stream);
  const PairLaunch as(problem, halves.k, split_band, stream);
  device::launch(
      {.grid = dim3(as.blocks),
       .block = dim3(pair_threads),
       .shared_bytes = split_bytes,
       .cluster = dim3(pair)},
      stream, n % 2 == 0 ? split_products_wgmma_kernel<true> : split_products_wgmma_kernel<false>,
      map_of(halves.a, DType::f16, m, halves.k, tile_m),
      map_of(halves.b, DType::f16, halves.k, halves.columns, tile_k), halves.row_scales,
      halves.column_scales, static_cast<float*>(operands.c), m, n, as.tiles);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("there are no tensor maps of empty matrices");
  return f32_only(problem, facts);
}

}  // namespace

Variant split_products_wgmma() {
  return {
      "three products of f16 for each of f32 by wgmma, summed as f32 every 32 of K",
      {DType::f32},
      supports,
      launch,
      halves_bytes,
      {.sectors_per_load = 10.31, .sectors_per_store = 7.45, .wavefronts_per_shared_request = 1.1},
      /*vendor=*/false,
      /*multiple=*/1,
      "3xf16"};
}

}  // namespace ridgeline::gemm::on_cuda
