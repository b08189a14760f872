#include <algorithm>

#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// Tensor cores through mma.sync, with tiles that TMA brings: eight warps have 64 x 64 of a tile of
// 128 x 256 each, and do nothing but load fragments and multiply them; one thread of a third
// warpgroup does nothing but start copies, and that warpgroup gives its registers to the others. No
// barrier of the block stands in the loop: a warp waits only for the stage that it reads next, so
// warps that share tensor cores drift apart, and one multiplies while another one loads. Blocks
// stay, and the copies of the next tile are under way while C is stored. Bound by Hopper's rate for
// mma.sync, which is below that of its wgmma.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int multiplying = 8 * 32, threads = multiplying + 128;
constexpr unsigned stages = 4, shared_bytes = stages * stage_bytes + pattern_bytes;
constexpr int warp_m = 64, warp_n = 64, fragment_m = 16, fragment_n = 8;
constexpr unsigned steps = tile_k / 16;
static_assert(warp_n == box_n, "a warp's columns are one box of B");
constexpr int band = 16;  // rows of tiles: with 132 tiles under way, about 2000 x 2000 of C

/// What a warp multiplies at once: 64 x 16 of A and 16 x 64 of B.
struct Fragments {
  unsigned a[warp_m / fragment_m][4], b[warp_n / 16][4];  // four of b: two of mma's right factors

  /// 16 of K from 16 `step` on, of a stage's rows and box that are the warp's. `piece` is
  /// first_piece(); further pieces lie 32 bytes apart, but for the swizzle.
  __device__ __forceinline__ void load(const unsigned char* a_rows, const unsigned char* b_box,
                                       unsigned piece, unsigned step) {
    const auto at = [](const unsigned char* place) {
      return reinterpret_cast<const unsigned short*>(place);
    };
#pragma unroll
    for (unsigned i = 0; i < warp_m / fragment_m; ++i)
      ptx::load_matrices(a[i], at(a_rows + i * fragment_m * row_bytes + (piece ^ step * 32)));
#pragma unroll
    for (unsigned j = 0; j < warp_n / 16; ++j)
      ptx::load_matrices_transposed(b[j], at(b_box + step * 16 * row_bytes + (piece ^ j * 32)));
  }
};

/// Where a lane's first piece of 16 bytes lies behind the first of 16 rows: lanes 0 to 15 name
/// them, and lanes 16 to 31 the same rows 16 bytes further. The swizzle adds the row to it, without
/// carry.
__device__ __forceinline__ unsigned first_piece() {
  const unsigned lane = threadIdx.x % 32, line = lane % 16;
  return line * row_bytes + (lane / 16 ^ line % 8) * 16;
}

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    mma_tma_kernel(const __grid_constant__ device::TensorMap a,
                   const __grid_constant__ device::TensorMap b, unsigned short* c, std::int64_t m,
                   std::int64_t n, Order order, int chunks) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages], empty[stages];
  unsigned char* const ring = first_tile(dynamic);
  const int thread = static_cast<int>(threadIdx.x), step_of_grid = static_cast<int>(gridDim.x);
  if (thread == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], multiplying / 32);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();

  ptx::Turn<stages> turn;
  const int first = static_cast<int>(blockIdx.x);
  if (thread >= multiplying) {
    ptx::give_registers<24>();
    if (thread != multiplying) return;
    for (int index = first; index < order.count(); index += step_of_grid) {
      const Order::Place at = order.place(index);
      for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
        ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
        load_stage(ring + turn.stage * stage_bytes, a, b, chunk * tile_k, at.row * tile_m,
                   at.column * tile_n, &full[turn.stage]);
      }
    }
    return;
  }
  ptx::take_registers<240>();
  const int warp = __shfl_sync(0xFFFFFFFFu, thread / 32, 0);  // one for all lanes: see
                                                              // warpgroup_of_thread()
  const int warp_row = warp / 4 * warp_m, warp_column = warp % 4;
  const unsigned piece = first_piece();
  const auto load = [&](Fragments& fragments, unsigned stage, unsigned step) {
    const unsigned char* const tiles = ring + stage * stage_bytes;
    fragments.load(tiles + warp_row * row_bytes, tiles + a_bytes + warp_column * box_bytes, piece,
                   step);
  };
  for (int index = first; index < order.count(); index += step_of_grid) {
    float sums[warp_m / fragment_m][warp_n / fragment_n][4] = {};
    Fragments fragments[2];  // loaded one step ahead, across stages
    ptx::barrier_wait(&full[turn.stage], turn.parity);
    load(fragments[0], turn.stage, 0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const unsigned stage = turn.stage;
#pragma unroll
      for (unsigned step = 0; step < steps; ++step) {
        const bool ends = step == steps - 1, more = !ends || chunk + 1 < chunks;
        if (ends) turn.next();
        if (ends && more) ptx::barrier_wait(&full[turn.stage], turn.parity);
        if (more) load(fragments[(step + 1) % 2], turn.stage, (step + 1) % steps);
        const Fragments& now = fragments[step % 2];
#pragma unroll
        for (int i = 0; i < warp_m / fragment_m; ++i)
#pragma unroll
          for (int column = 0; column < warp_n / fragment_n; ++column) {
            // There and back: neighbours share a factor.
            const int j = i % 2 == 0 ? column : warp_n / fragment_n - 1 - column;
            ptx::mma_16x8x16(Type{}, sums[i][j], now.a[i], now.b[j / 2][j % 2 * 2],
                             now.b[j / 2][j % 2 * 2 + 1]);
          }
      }
      // All fragments of the stage have been multiplied, by all lanes.
      if (thread % 32 == 0) ptx::barrier_arrive(&empty[stage]);
    }
    const Order::Place at = order.place(index);
#pragma unroll
    for (int i = 0; i < warp_m / fragment_m; ++i)
      store_rows<warp_n>(Type{}, &sums[i][0][0], c, m, n,
                         at.row * tile_m + warp_row + i * fragment_m,
                         at.column * tile_n + warp_column * warp_n);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, tile_m, tile_n);
  device::launch(
      {.grid = dim3(std::min(tiles.count(), static_cast<unsigned>(device::units(stream)))),
       .block = dim3(threads),
       .shared_bytes = shared_bytes},
      stream, dtype == DType::f16 ? mma_tma_kernel<ptx::F16> : mma_tma_kernel<ptx::Bf16>,
      map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
      static_cast<unsigned short*>(operands.c), m, n,
      Order{static_cast<int>(tiles.rows), static_cast<int>(tiles.columns), band},
      device::blocks_for(k, tile_k));
}

}  // namespace

Variant mma_tma() {
  return {"mma.sync on tiles that TMA brings: one thread loads, eight warps multiply",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          nullptr,
          {.sectors_per_store = 16, .wavefronts_per_shared_request = 4},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
