#include <algorithm>

#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// Over warp_specialized: blocks stay, one an SM, and make one tile of C after the other, so that
// the tiles of the next one are loaded while C is stored. Two blocks are a cluster with two tiles
// one above the other, and each loads half of B for both, by multicast: L2 brings a third less.
// Tiles go in bands, so that what is under way at a time reads few rows and columns, which stay in
// L2. Warps store C without waiting for others, by stmatrix to shared memory and from there by TMA,
// in whole lines. Bound by the tensor cores, where tiles come out even: the last round of tiles may
// leave SMs idle.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int multiplying = 2 * 128, threads = multiplying + 128;
constexpr int pair = 2, pair_m = pair * tile_m;  // blocks of a cluster, and the rows of their tiles
constexpr unsigned short both = 3;
constexpr int band = 8;  // rows of pairs: with 66 pairs under way, about 2000 x 2000 of C
constexpr unsigned stages = 4;
// Of C, each warp copies 16 rows of 64 at a time, from as many buffers of its own.
constexpr int warp_m = 16, buffers = 2;
constexpr unsigned buffer_bytes = warp_m * row_bytes;
constexpr unsigned shared_bytes =
    stages * stage_bytes + multiplying / 32 * buffers * buffer_bytes + pattern_bytes;

/// Rounds a warp's 16 rows of sums, and starts copies of them to C, from its buffers.
template <class Type>
__device__ __forceinline__ void store_by_tma(Type, const float (&sums)[group_sums],
                                             unsigned char* buffer, const device::TensorMap& c,
                                             int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32, line = lane % warp_m;
#pragma unroll
  for (int first = 0; first < tile_n; first += buffers * box_n) {
    if (lane == 0) ptx::copy_bulk_wait_read<0>();  // the buffers are free
    __syncwarp();
#pragma unroll
    for (int at = 0; at < buffers * box_n; at += 16) {
      const float* const of = sums + (first + at) / 2;
      const unsigned four[] = {ptx::pack(Type{}, of[0], of[1]), ptx::pack(Type{}, of[2], of[3]),
                               ptx::pack(Type{}, of[4], of[5]), ptx::pack(Type{}, of[6], of[7])};
      // Swizzled, as the copy expects it.
      const int piece = (at % box_n / 8 + lane / warp_m) ^ (line % 8);
      ptx::store_matrices(reinterpret_cast<unsigned short*>(buffer + at / box_n * buffer_bytes +
                                                            line * row_bytes + piece * 16),
                          four);
    }
    ptx::fence_async_shared();
    __syncwarp();
    if (lane == 0) {
#pragma unroll
      for (int box = 0; box < buffers; ++box)
        ptx::store_box(c, column + first + box * box_n, row, buffer + box * buffer_bytes);
      ptx::copy_bulk_commit();
    }
  }
}

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    persistent_clusters_kernel(const __grid_constant__ device::TensorMap a,
                               const __grid_constant__ device::TensorMap b,
                               const __grid_constant__ device::TensorMap c, Order order,
                               int chunks) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages], empty[stages];
  unsigned char* const ring = first_tile(dynamic);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int rank = static_cast<int>(ptx::cluster_rank());
  const int first = static_cast<int>(blockIdx.x) / pair, step = static_cast<int>(gridDim.x) / pair;
  if (thread == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], pair * multiplying / 32);
    }
    ptx::fence_barrier_init();
  }
  ptx::cluster_arrive_relaxed();  // the other block's barriers are used, too
  ptx::cluster_wait();

  ptx::Turn<stages> turn;
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    if (thread != multiplying) return;
    for (int index = first; index < order.count(); index += step) {
      const Order::Place at = order.place(index);
      const int row = at.row * pair_m + rank * tile_m, column = at.column * tile_n;
      for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
        unsigned char* const stage = ring + turn.stage * stage_bytes;
        ptx::Barrier* const arrived = &full[turn.stage];
        ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
        ptx::barrier_arrive_expect(arrived, stage_bytes);
        ptx::load_box(stage, a, chunk * tile_k, row, arrived);
#pragma unroll
        for (int i = 0; i < tile_n / box_n / pair; ++i) {
          const int box = rank * (tile_n / box_n / pair) + i;
          ptx::load_box_multicast(stage + a_bytes + box * box_bytes, b, column + box * box_n,
                                  chunk * tile_k, arrived, both);
        }
      }
    }
    // No block ends while the other one's warps may still arrive at its barriers.
    for (unsigned stage = 0; stage < stages; ++stage, turn.next())
      ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
    return;
  }
  ptx::take_registers<232>();
  const int group = warpgroup_of_thread(), warp = thread / 32;
  unsigned char* const buffer = ring + stages * stage_bytes + warp * buffers * buffer_bytes;
  const Factors factors(ring, group);
  const auto give_back = [&](unsigned stage) {
    if (lane < pair) ptx::barrier_arrive_at(&empty[stage], static_cast<unsigned>(lane));
  };
  float sums[group_sums];
  for (int index = first; index < order.count(); index += step) {
    const Order::Place at = order.place(index);
    unsigned last = 0;  // the stage whose products are under way
    for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
      ptx::barrier_wait(&full[turn.stage], turn.parity);
      multiply_stage(Type{}, sums, factors, turn.stage, chunk != 0);
      ptx::products_wait<1>();
      if (chunk != 0) give_back(last);
      last = turn.stage;
    }
    ptx::products_wait<0>();
    give_back(last);
    store_by_tma(Type{}, sums, buffer, c, at.row * pair_m + rank * tile_m + warp * warp_m,
                 at.column * tile_n);
  }
  if (lane == 0) ptx::copy_bulk_wait_read<0>();
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles pairs(problem, pair_m, tile_n);
  const auto held = static_cast<unsigned>(std::max(device::units(stream) / pair, 1));
  const unsigned clusters = std::min(pairs.count(), held);
  device::launch({.grid = dim3(clusters * pair),
                  .block = dim3(threads),
                  .shared_bytes = shared_bytes,
                  .cluster = dim3(pair)},
                 stream,
                 dtype == DType::f16 ? persistent_clusters_kernel<ptx::F16>
                                     : persistent_clusters_kernel<ptx::Bf16>,
                 map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
                 map_of(operands.c, dtype, m, n, warp_m),
                 Order{static_cast<int>(pairs.rows), static_cast<int>(pairs.columns), band},
                 device::blocks_for(k, tile_k));
}

}  // namespace

Variant persistent_clusters() {
  return {"one block an SM for many tiles, in pairs that share B by multicast; C by TMA",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          nullptr,
          {.wavefronts_per_shared_request = 4},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
