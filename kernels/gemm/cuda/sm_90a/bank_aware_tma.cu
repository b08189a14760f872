#include "kernels/gemm/cuda/bank_factors.cuh"
#include "kernels/gemm/cuda/sm_90a/shares.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/add.cuh"
#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// `bank_aware` with nothing but loads and multiply-adds in its warps: a third warpgroup copies, B
// by TMA and A, which must be transposed, in words, and has given its registers away. Warps meet no
// barrier of the block: they wait for a stage's mbarrier alone, so that the two of a quarter of an
// SM drift apart, and one multiplies where the other one begins a stage. Blocks stay, and what is
// left over when each has made as many tiles as the others is cut along K into equal shares. Bound
// by the issue of instructions.
//
// Of a cut tile, the part with the last of K is stored, and the others are added to C one after the
// other, towards the first: always in the same order, so that results are the same bit for bit. A
// block makes the last part of one tile before the first part of another, so hardly any warp waits.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile_k = 32, stages = 4, least_share = 4;
constexpr int multiplying = 32 * banks_warps, copying = 128, threads = multiplying + copying;

struct Stage {
  __align__(128) float b[tile_k][banks_n];
  __align__(128) float a[tile_k][banks_padded_m];
};

struct Barriers {
  ptx::Barrier full[stages], empty[stages];
};

struct Place {
  int row, column;
  /// Of a tile: bands of 8 rows of tiles, each column by column.
  __device__ __forceinline__ Place(int tile, int rows, int columns) {
    constexpr int most = 8;
    const int band = tile / (most * columns), in_band = tile % (most * columns),
              height = min(most, rows - band * most);
    row = (band * most + in_band % height) * banks_m;
    column = in_band / height * banks_n;
  }
};

/// What the third warpgroup does: fills the stages of all parts of the block's share. It takes
/// issue slots from those that multiply: so its loop has little more than copies.
__device__ __forceinline__ void copy_parts(Stage* ring, Barriers& barriers, Share share,
                                           const float* a, const device::TensorMap& b, int m, int k,
                                           int rows, int columns) {
  constexpr int lanes = 8, at_once = copying / lanes;  // a warp: 4 rows of 8 elements, whole
                                                       // sectors
  const int thread = static_cast<int>(threadIdx.x) - multiplying, line = thread / lanes,
            column = thread % lanes;
  ptx::Turn<stages> turn;
  while (share.next()) {
    const Place place(share.tile, rows, columns);
    const float* from[banks_m / at_once];
#pragma unroll
    for (int i = 0; i < banks_m / at_once; ++i)  // beyond the last row that one, for unused sums
      from[i] = a + std::int64_t{min(place.row + line + i * at_once, m - 1)} * k +
                share.first * tile_k + column;
    for (int chunk = share.first; chunk < share.last; ++chunk, turn.next()) {
      Stage& to = ring[turn.stage];
      const int inside = k - chunk * tile_k - column;
      ptx::barrier_wait(&barriers.empty[turn.stage], turn.parity ^ 1);
      if (thread == 0) {
        ptx::barrier_arrive_expect(&barriers.full[turn.stage], sizeof to.b);
        ptx::load_box(to.b, b, place.column, chunk * tile_k, &barriers.full[turn.stage]);
      }
#pragma unroll
      for (int i = 0; i < banks_m / at_once; ++i) {
#pragma unroll
        for (int step = 0; step < tile_k; step += lanes)
          ptx::copy_async_4(&to.a[column + step][line + i * at_once], from[i] + step,
                            step < inside);
        from[i] += tile_k;
      }
      ptx::copy_async_arrive(&barriers.full[turn.stage]);
    }
  }
}

/// Waits until the parts of the warp's square from chunk `last` on are in C.
__device__ __forceinline__ void wait_for_others(const int* flag, int last) {
  while (*static_cast<const volatile int*>(flag) != last) {
  }
  __threadfence();
}

/// `flags` has a word for each warp of each cut tile: from which chunk on C has its sums.
__global__ void __launch_bounds__(threads, 1)
    bank_aware_tma_kernel(const float* a, const __grid_constant__ device::TensorMap b, float* c,
                          int* flags, float one, int m, int n, int k, Shares shares, int rows,
                          int columns) {
  RIDGELINE_DYNAMIC_SHARED(Stage, ring);
  __shared__ Barriers barriers;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&barriers.full[stage], copying + 1);
      ptx::barrier_init(&barriers.empty[stage], banks_warps);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  Share share(shares);
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    copy_parts(ring, barriers, share, a, b, m, k, rows, columns);
    return;
  }
  ptx::take_registers<232>();
  int left = share.chunks();
  if (left == 0) return;
  const int i = first_row(), j = first_column(), warp = thread / 32;
  BankFactors now, next;
  ptx::Turn<stages> turn;
  ptx::barrier_wait(&barriers.full[0], 0);
  now.load(&ring[0].a[0][i], &ring[0].b[0][j], 0);
  while (share.next()) {
    float sums[8][16] = {};
    for (int chunk = share.first; chunk < share.last; ++chunk) {
      const float *of_a = &ring[turn.stage].a[0][i], *of_b = &ring[turn.stage].b[0][j];
      const float* const last = of_a + (tile_k - 2) * banks_padded_m;
#pragma unroll 1
      while (of_a != last) {
        multiply_and_load(now, sums, next, of_a, of_b, 1);
        multiply_and_load(next, sums, now, of_a, of_b, 2);
        of_a += 2 * banks_padded_m;
        of_b += 2 * banks_n;
      }
      next.load(of_a, of_b, 1);
      multiply(now, sums);
      ptx::Barrier* const read = &barriers.empty[turn.stage];
      // After the last chunk its first values are loaded again, which nothing uses: see bank_aware.
      if (--left > 0) {
        turn.next();
        ptx::barrier_wait(&barriers.full[turn.stage], turn.parity);
      }
      now.load(&ring[turn.stage].a[0][i], &ring[turn.stage].b[0][j], 0);
      multiply(next, sums);
      __syncwarp();
      if (thread % 32 == 0) ptx::barrier_arrive(read);
    }
    const Place place(share.tile, rows, columns);
    int* const flag = flags + share.of_rest() * banks_warps + warp;
    const bool adds = !share.ends();
    if (adds) wait_for_others(flag, share.last);
    for_each_four(sums, place.row, place.column, one,
                  [&](std::int64_t row, std::int64_t column, float4 four) {
                    if (!adds)
                      store4<true>(c, m, n, row, column, four);
                    else if (row < m && column < n)
                      ptx::add_4(c + row * n + column, four);
                  });
    if (!share.begins()) {
      __threadfence();
      __syncwarp();
      if (thread % 32 == 0) *static_cast<volatile int*>(flag) = share.first;
    }
  }
}

__global__ void clear_flags_kernel(int* flags) { flags[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, banks_m, banks_n);
  const int units = device::units(stream);
  const Shares shares(tiles.count(), device::blocks_for(k, tile_k), units, least_share, units);
  auto* const flags = static_cast<int*>(operands.workspace);
  if (shares.cuts())
    device::launch({.grid = dim3(static_cast<unsigned>(shares.tiles - shares.whole)),
                    .block = dim3(banks_warps)},
                   stream, clear_flags_kernel, flags);
  const device::TensorMap b = device::make_tensor_map(
      {.memory = const_cast<void*>(operands.b),
       .dtype = DType::f32,
       .sizes = {static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(k)},
       .strides = {static_cast<std::uint64_t>(n) * sizeof(float)},
       .box = {banks_n, tile_k}});
  device::launch({.grid = dim3(static_cast<unsigned>(shares.blocks)),
                  .block = dim3(threads),
                  .shared_bytes = stages * sizeof(Stage),
                  .resident = shares.cuts()},
                 stream, bank_aware_tma_kernel, static_cast<const float*>(operands.a), b,
                 static_cast<float*>(operands.c), flags, 1.0f, static_cast<int>(m),
                 static_cast<int>(n), static_cast<int>(k), shares, static_cast<int>(tiles.rows),
                 static_cast<int>(tiles.columns));
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.n % 4 != 0 || problem.k % 4 != 0)
    return device::Support::unsupported(
        "tensor copies take rows of whole 16 bytes: n and k must be multiples of 4");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("there are no tensor maps of empty matrices");
  return f32_only(problem, facts);
}

}  // namespace

Variant bank_aware_tma() {
  return {"copies by a warpgroup of its own, and the last round of tiles cut along K",
          {DType::f32},
          supports,
          launch,
          [](const Problem&) { return std::size_t{1024} * banks_warps * sizeof(int); },
          {.sectors_per_load = 4, .sectors_per_store = 16, .wavefronts_per_shared_request = 2.29},
          /*vendor=*/false,
          /*multiple=*/4};
}

}  // namespace ridgeline::gemm::on_cuda
