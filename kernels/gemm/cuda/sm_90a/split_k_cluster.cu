#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// For C of few tiles, like stream_k, but parts of a tile never leave the SMs: the blocks of a
// cluster have equal shares of K of one tile, and give each other their sums through shared memory,
// each as many columns of all rows. So no part goes through L2, and there is no second kernel. A
// block adds the parts in the order of K, so that results are the same bit for bit. Of products
// that take microseconds the start counts: a kernel begins while the one before ends. Bound by L2,
// which brings each factor to as many blocks as have tiles in its row or column.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int multiplying = 2 * 128, threads = multiplying + 128, most_blocks = 8;
constexpr unsigned stages = 4, shared_bytes = stages * stage_bytes + pattern_bytes;
constexpr int squares = tile_n / 8;  // of 8 columns; a thread has four sums of each
/// What giving sums away takes, about, in steps of tile_k. Not measured.
constexpr int exchange_chunks = 4;

/// At which blocks of a cluster wait for each other: all have read their tiles, and expect sums;
/// the sums have come.
struct Exchange {
  ptx::Barrier done, given;
};

/// Gives away the sums of a warp's 16 rows, of which each block of the cluster gets as many
/// squares, in the ring, which must be read by all; adds up this block's, and stores them to C.
template <int blocks, class Type>
__device__ __forceinline__ void add_up(const float (&sums)[group_sums], unsigned char* ring,
                                       Exchange& exchange, unsigned short* c, int m, int n, int row,
                                       int column) {
  constexpr int own_squares = squares / blocks;
  const int thread = static_cast<int>(threadIdx.x), rank = static_cast<int>(ptx::cluster_rank());
  const auto place = [=](int of, int square) {
    return reinterpret_cast<float4*>(ring) + (of * own_squares + square) * multiplying + thread;
  };
  ptx::barrier_wait(&exchange.done, 0);
#pragma unroll
  for (int to = 0; to < blocks; ++to)
#pragma unroll
    for (int square = 0; square < own_squares; ++square) {
      const float* const of = sums + (to * own_squares + square) * 4;
      ptx::store_async_at(place(rank, square), make_float4(of[0], of[1], of[2], of[3]),
                          &exchange.given, static_cast<unsigned>(to));
    }
  ptx::barrier_wait(&exchange.given, 0);
  float added[own_squares * 4] = {};
#pragma unroll
  for (int of = 0; of < blocks; ++of)
#pragma unroll
    for (int square = 0; square < own_squares; ++square) {
      const float4 part = *place(of, square);
      added[square * 4] += part.x;
      added[square * 4 + 1] += part.y;
      added[square * 4 + 2] += part.z;
      added[square * 4 + 3] += part.w;
    }
  store_rows<own_squares * 8>(Type{}, added, c, m, n, row, column + rank * own_squares * 8);
}

template <int blocks, class Type>
__global__ void __launch_bounds__(threads, 1)
    split_k_cluster_kernel(const __grid_constant__ device::TensorMap a,
                           const __grid_constant__ device::TensorMap b, unsigned short* c, int m,
                           int n, int chunks, int tile_columns) {
  ptx::next_kernel_may_begin();
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages], empty[stages];
  __shared__ Exchange exchange;
  unsigned char* const ring = first_tile(dynamic);
  const int tile = static_cast<int>(blockIdx.x) / blocks, row = tile / tile_columns * tile_m,
            column = tile % tile_columns * tile_n;
  const int thread = static_cast<int>(threadIdx.x), rank = static_cast<int>(ptx::cluster_rank());
  const int first = chunks * rank / blocks, last = chunks * (rank + 1) / blocks;
  const int warps = (min(m - row, tile_m) + 15) / 16;  // that have rows of C
  if (thread == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], multiplying / 32);
    }
    ptx::barrier_init(&exchange.done, blocks * multiplying / 32);
    ptx::barrier_init(&exchange.given, 1);
    ptx::fence_barrier_init();
    ptx::barrier_arrive_expect(
        &exchange.given,
        static_cast<unsigned>(warps) * 32 * (squares * static_cast<unsigned>(sizeof(float4))));
  }
  __syncthreads();
  if constexpr (blocks > 1) {
    ptx::cluster_arrive_relaxed();
    ptx::cluster_wait();  // the mbarriers of all blocks are there
  }

  ptx::Turn<stages> turn;
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    if (thread != multiplying) return;
    ptx::previous_kernel_wait();
    for (int chunk = first; chunk < last; ++chunk, turn.next()) {
      ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
      load_stage(ring + turn.stage * stage_bytes, a, b, chunk * tile_k, row, column,
                 &full[turn.stage]);
    }
    return;
  }
  ptx::take_registers<232>();
  ptx::previous_kernel_wait();
  const Factors factors(ring, warpgroup_of_thread());
  float sums[group_sums];
  unsigned before = 0;  // the stage whose products are under way
  for (int chunk = first; chunk < last; ++chunk, turn.next()) {
    ptx::barrier_wait(&full[turn.stage], turn.parity);
    multiply_stage(Type{}, sums, factors, turn.stage, chunk != first);
    ptx::products_wait<1>();
    if (chunk != first && thread % 32 == 0) ptx::barrier_arrive(&empty[before]);
    before = turn.stage;
  }
  ptx::products_wait<0>();
  const int own_row = row + thread / 32 * 16;
  if constexpr (blocks == 1) {
    store_rows<tile_n>(Type{}, sums, c, m, n, own_row, column);
  } else {
    __syncwarp();
    if (thread % 32 < blocks)
      ptx::barrier_arrive_at(&exchange.done, static_cast<unsigned>(thread % 32));
    if (thread / 32 < warps) add_up<blocks, Type>(sums, ring, exchange, c, m, n, own_row, column);
  }
}

/// Blocks of a cluster, at most one for each step along K, with which C is made soonest. Of
/// clusters of more than two, which fit into no part of the GPU without a rest, only ten elevenths
/// of the SMs are counted on.
int blocks_for_tile(unsigned tiles, int chunks, int units) {
  int best = 1, least = 0;
  for (int blocks = 1; blocks <= std::min(most_blocks, chunks); blocks *= 2) {
    const int held = std::max(blocks > 2 ? units * 10 / 11 : units, blocks) / blocks;
    const int rounds = (static_cast<int>(tiles) + held - 1) / held,
              cost = rounds * ((chunks + blocks - 1) / blocks + (blocks > 1 ? exchange_chunks : 0));
    if (blocks == 1 || cost < least) {
      best = blocks;
      least = cost;
    }
  }
  return best;
}

template <class Type>
auto kernel_for(int blocks) {
  return blocks == 8   ? split_k_cluster_kernel<8, Type>
         : blocks == 4 ? split_k_cluster_kernel<4, Type>
         : blocks == 2 ? split_k_cluster_kernel<2, Type>
                       : split_k_cluster_kernel<1, Type>;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, tile_m, tile_n);
  const int chunks = static_cast<int>(device::blocks_for(k, tile_k));
  const int blocks = blocks_for_tile(tiles.count(), chunks, device::units(stream));
  device::launch({.grid = dim3(tiles.count() * static_cast<unsigned>(blocks)),
                  .block = dim3(threads),
                  .shared_bytes = shared_bytes,
                  .cluster = dim3(static_cast<unsigned>(blocks)),
                  .early = true},
                 stream,
                 dtype == DType::f16 ? kernel_for<ptx::F16>(blocks) : kernel_for<ptx::Bf16>(blocks),
                 map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
                 static_cast<unsigned short*>(operands.c), static_cast<int>(m), static_cast<int>(n),
                 chunks, static_cast<int>(tiles.columns));
}

}  // namespace

Variant split_k_cluster() {
  return {"K cut among the blocks of a cluster, which add up through each other's shared memory",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          nullptr,
          {.sectors_per_store = 16},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
