#include "kernels/gemm/cuda/sm_90a/pairs.cuh"
#include "kernels/ptx/registers.cuh"

// Over warp_specialized: blocks stay, one an SM, and make one tile of C after the other, so that
// the tiles of the next one are loaded while C is stored. Two blocks are a cluster with two tiles
// one above the other, and each loads half of B for both, by multicast: L2 brings a third less.
// Tiles go in bands, so that what is under way at a time reads few rows and columns, which stay in
// L2. Warps store C without waiting for others, by stmatrix to shared memory and from there by TMA,
// in whole lines. Bound by the tensor cores, where tiles come out even: the last round of tiles may
// leave SMs idle.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int band = 8;  // rows of pairs: with 66 pairs under way, about 2000 x 2000 of C
// Of C, each warp copies 16 rows of 64 at a time, from as many buffers of its own.
constexpr int warp_m = 16, buffers = 2;
constexpr unsigned buffer_bytes = warp_m * row_bytes;
constexpr unsigned shared_bytes =
    pair_stages * stage_bytes + pair_multiplying / 32 * buffers * buffer_bytes + pattern_bytes;

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
__global__ void __launch_bounds__(pair_threads, 1)
    persistent_clusters_kernel(const __grid_constant__ device::TensorMap a,
                               const __grid_constant__ device::TensorMap b,
                               const __grid_constant__ device::TensorMap c, PairTiles tiles) {
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
  const int group = warpgroup_of_thread(), warp = thread / 32;
  unsigned char* const buffer = ring + pair_stages * stage_bytes + warp * buffers * buffer_bytes;
  const Factors factors(ring, group);
  ptx::Turn<pair_stages> turn;
  float sums[group_sums];
  for (int index = tiles.first(); index < tiles.order.count(); index += tiles.step()) {
    const Order::Place at = tiles.place(index);
    unsigned last = 0;  // the stage whose products are under way
    for (int chunk = 0; chunk < tiles.chunks; ++chunk, turn.next()) {
      ptx::barrier_wait(&barriers.full[turn.stage], turn.parity);
      multiply_stage(Type{}, sums, factors, turn.stage, chunk != 0);
      ptx::products_wait<1>();
      if (chunk != 0) barriers.give_back(last);
      last = turn.stage;
    }
    ptx::products_wait<0>();
    barriers.give_back(last);
    store_by_tma(Type{}, sums, buffer, c, at.row + warp * warp_m, at.column);
  }
  if (thread % 32 == 0) ptx::copy_bulk_wait_read<0>();
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const PairLaunch as(problem, k, band, stream);
  device::launch({.grid = dim3(as.blocks),
                  .block = dim3(pair_threads),
                  .shared_bytes = shared_bytes,
                  .cluster = dim3(pair)},
                 stream,
                 dtype == DType::f16 ? persistent_clusters_kernel<ptx::F16>
                                     : persistent_clusters_kernel<ptx::Bf16>,
                 map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
                 map_of(operands.c, dtype, m, n, warp_m), as.tiles);
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
