#pragma once

#include <algorithm>

#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/turn.cuh"

// What the rungs share whose blocks stay, one an SM, and make one tile of C after the other. Two
// blocks are a cluster with two tiles one above the other, and each loads half of B for both, by
// multicast. Two warpgroups of a block multiply; one thread of a third one loads.
namespace ridgeline::gemm::on_cuda {

constexpr int pair = 2, pair_m = pair * tile_m;  // blocks of a cluster, and the rows of their tiles
constexpr int pair_multiplying = 2 * 128, pair_threads = pair_multiplying + 128;
constexpr unsigned pair_stages = 4;

/// The barriers of a block's ring of stages.
struct PairBarriers {
  ptx::Barrier full[pair_stages], empty[pair_stages];

  /// By all threads of both blocks, before all else.
  __device__ __forceinline__ void begin() {
    if (threadIdx.x == 0) {
      for (unsigned stage = 0; stage < pair_stages; ++stage) {
        ptx::barrier_init(&full[stage], 1);
        ptx::barrier_init(&empty[stage], pair * pair_multiplying / 32);
      }
      ptx::fence_barrier_init();
    }
    ptx::cluster_arrive_relaxed();  // the other block's barriers are used, too
    ptx::cluster_wait();
  }
  /// By a warp that has read the stage, to both blocks: each loads a half of it for both.
  __device__ __forceinline__ void give_back(unsigned stage) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane < pair) ptx::barrier_arrive_at(&empty[stage], static_cast<unsigned>(lane));
  }
};

/// A pair's tiles of C, in order, and the stages that each takes.
struct PairTiles {
  Order order;  // of tiles two high
  int chunks;
  __device__ __forceinline__ int first() const { return static_cast<int>(blockIdx.x) / pair; }
  __device__ __forceinline__ int step() const { return static_cast<int>(gridDim.x) / pair; }
  /// Where the block's tile begins.
  __device__ __forceinline__ Order::Place place(int index) const {
    const Order::Place at = order.place(index);
    return {at.row * pair_m + static_cast<int>(ptx::cluster_rank()) * tile_m, at.column * tile_n};
  }
};

/// Loads all stages of all of the block's tiles; by one thread.
__device__ __forceinline__ void load_pairs(unsigned char* ring, PairBarriers& barriers,
                                           const device::TensorMap& a, const device::TensorMap& b,
                                           const PairTiles& tiles) {
  constexpr unsigned short both = 3;
  constexpr int boxes = tile_n / box_n / pair;
  const int rank = static_cast<int>(ptx::cluster_rank());
  ptx::Turn<pair_stages> turn;
  for (int index = tiles.first(); index < tiles.order.count(); index += tiles.step()) {
    const Order::Place at = tiles.place(index);
    for (int chunk = 0; chunk < tiles.chunks; ++chunk, turn.next()) {
      unsigned char* const stage = ring + turn.stage * stage_bytes;
      ptx::Barrier* const arrived = &barriers.full[turn.stage];
      ptx::barrier_wait(&barriers.empty[turn.stage], turn.parity ^ 1);
      ptx::barrier_arrive_expect(arrived, stage_bytes);
      ptx::load_box(stage, a, chunk * tile_k, at.row, arrived);
#pragma unroll
      for (int i = 0; i < boxes; ++i) {
        const int box = rank * boxes + i;
        ptx::load_box_multicast(stage + a_bytes + box * box_bytes, b, at.column + box * box_n,
                                chunk * tile_k, arrived, both);
      }
    }
  }
  // No block ends while the other one's warps may still arrive at its barriers.
  for (unsigned stage = 0; stage < pair_stages; ++stage, turn.next())
    ptx::barrier_wait(&barriers.empty[turn.stage], turn.parity ^ 1);
}

/// How pairs make C of m x n from factors with `depth` elements of 16 bits along K.
struct PairLaunch {
  PairTiles tiles;
  unsigned blocks;

  /// In bands of `band` rows of pairs.
  PairLaunch(const Problem& problem, std::int64_t depth, int band, const device::Stream& stream)
      : tiles{} {
    const Tiles pairs(problem, pair_m, tile_n);
    const auto held = static_cast<unsigned>(std::max(device::units(stream) / pair, 1));
    blocks = std::min(pairs.count(), held) * pair;
    tiles = {{static_cast<int>(pairs.rows), static_cast<int>(pairs.columns), band},
             static_cast<int>(device::blocks_for(depth, tile_k))};
  }
};

}  // namespace ridgeline::gemm::on_cuda
