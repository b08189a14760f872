#include "kernels/gemm/cuda/sm_90a/shares.cuh"
#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// `warp_specialized` for C of few tiles, which leave SMs idle: tiles that are left over when each
// block has made as many as the others are cut along K into equal shares, one a block (Osama et
// al., "Stream-K", 2023). Parts of tiles go to the workspace as f32; a second kernel adds them in
// the order of K, so that results are the same bit for bit, and rounds once. Bound by memory, where
// C has few rows: B is read once, by all SMs at the same rate.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int multiplying = 2 * 128, threads = multiplying + 128;
constexpr unsigned stages = 4, shared_bytes = stages * stage_bytes + pattern_bytes;
constexpr int least_share = 4, adding = 128, together = 6;

/// Parts of tiles in the workspace: two a block, row-major, of the rows that C has.
struct Parts {
  float* memory;
  int rows;
  __device__ __forceinline__ float* part(int block, bool second) const {
    return memory + (std::int64_t{block} * 2 + second) * rows * tile_n;
  }
};

struct TilesOfC {
  int columns;  // of tiles
  int m, n;
  __device__ __forceinline__ int row(int tile) const { return tile / columns * tile_m; }
  __device__ __forceinline__ int column(int tile) const { return tile % columns * tile_n; }
};

/// Stores a thread's sums of a part, the rows that C has.
__device__ __forceinline__ void store_part(const float (&sums)[group_sums], float* part, int rows) {
  const int thread = static_cast<int>(threadIdx.x);
  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
#pragma unroll
  for (int lower = 0; lower < 2; ++lower) {
    if (row + lower * 8 >= rows) continue;
    float* const to = part + (row + lower * 8) * tile_n + column;
#pragma unroll
    for (int square = 0; square < tile_n / 8; ++square) {
      const float* const two = sums + square * 4 + lower * 2;
      *reinterpret_cast<float2*>(to + square * 8) = make_float2(two[0], two[1]);
    }
  }
}

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    stream_k_kernel(const __grid_constant__ device::TensorMap a,
                    const __grid_constant__ device::TensorMap b, unsigned short* c, Parts parts,
                    Shares shares, TilesOfC tiles) {
  ptx::next_kernel_may_begin();
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages], empty[stages];
  unsigned char* const ring = first_tile(dynamic);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], multiplying / 32);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();

  Share share(shares);
  ptx::Turn<stages> turn;
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    if (thread != multiplying) return;
    while (share.next()) {
      const int row = tiles.row(share.tile), column = tiles.column(share.tile);
      for (int chunk = share.first; chunk < share.last; ++chunk, turn.next()) {
        ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
        load_stage(ring + turn.stage * stage_bytes, a, b, chunk * tile_k, row, column,
                   &full[turn.stage]);
      }
    }
    return;
  }
  ptx::take_registers<232>();
  const Factors factors(ring, warpgroup_of_thread());
  float sums[group_sums];
  bool second = false;  // of the block's parts that are not whole tiles
  while (share.next()) {
    unsigned last = 0;  // the stage whose products are under way
    for (int chunk = share.first; chunk < share.last; ++chunk, turn.next()) {
      ptx::barrier_wait(&full[turn.stage], turn.parity);
      multiply_stage(Type{}, sums, factors, turn.stage, chunk != share.first);
      ptx::products_wait<1>();
      if (chunk != share.first && thread % 32 == 0) ptx::barrier_arrive(&empty[last]);
      last = turn.stage;
    }
    ptx::products_wait<0>();
    if (thread % 32 == 0) ptx::barrier_arrive(&empty[last]);
    const int row = tiles.row(share.tile);
    if (share.begins() && share.ends()) {
      store_rows<tile_n>(Type{}, sums, c, tiles.m, tiles.n, row + thread / 32 * 16,
                         tiles.column(share.tile));
    } else {
      store_part(sums, parts.part(static_cast<int>(blockIdx.x), second),
                 min(tiles.m - row, tile_m));
      second = true;
    }
  }
}

/// Adds the parts of each tile that was cut: a thread eight columns of a row. blockIdx.y is the
/// tile's number among those that were left over. It may be started early.
template <class Type>
__global__ void __launch_bounds__(adding)
    add_parts_kernel(unsigned short* c, Parts parts, Shares shares, TilesOfC tiles) {
  constexpr int lanes = tile_n / 8;
  const int of_rest = static_cast<int>(blockIdx.y), tile = shares.whole + of_rest;
  const int line = static_cast<int>(blockIdx.x * (adding / lanes) + threadIdx.x / lanes),
            place = threadIdx.x % lanes * 8;
  const int row = tiles.row(tile) + line, column = tiles.column(tile) + place;
  const int first = of_rest * shares.chunks, last = first + shares.chunks;
  // The block whose share has the tile's first chunk, or one before it.
  int block = static_cast<int>(std::int64_t{first} * shares.sharers /
                               ((shares.tiles - shares.whole) * shares.chunks));
  while (shares.begin(block + 1) <= first) ++block;
  const bool cut = shares.begin(block) > first || shares.begin(block + 1) < last;
  if (!cut || row >= tiles.m || column >= tiles.n) return;  // n is a multiple of 8
  ptx::previous_kernel_wait();
  float4 low = make_float4(0, 0, 0, 0), high = low;
  while (block < shares.sharers && shares.begin(block) < last) {
    float4 x[together] = {}, y[together] = {};  // all under way at once
#pragma unroll
    for (int i = 0; i < together; ++i, ++block) {
      if (block >= shares.sharers || shares.begin(block) >= last) continue;
      const auto* const from = reinterpret_cast<const float4*>(
          parts.part(block, shares.begin(block) < first) + line * tile_n + place);
      x[i] = from[0], y[i] = from[1];
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      low = make_float4(low.x + x[i].x, low.y + x[i].y, low.z + x[i].z, low.w + x[i].w);
      high = make_float4(high.x + y[i].x, high.y + y[i].y, high.z + y[i].z, high.w + y[i].w);
    }
  }
  *reinterpret_cast<uint4*>(c + std::int64_t{row} * tiles.n + column) =
      make_uint4(ptx::pack(Type{}, low.x, low.y), ptx::pack(Type{}, low.z, low.w),
                 ptx::pack(Type{}, high.x, high.y), ptx::pack(Type{}, high.z, high.w));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, tile_m, tile_n);
  const int units = device::units(stream);
  // What cutting costs is more than what it gains where three quarters of the SMs have a tile.
  const Shares shares(tiles.count(), device::blocks_for(k, tile_k), units, least_share,
                      units * 3 / 4);
  const Parts parts{static_cast<float*>(operands.workspace),
                    static_cast<int>(std::min<std::int64_t>(m, tile_m))};
  const TilesOfC of_c{static_cast<int>(tiles.columns), static_cast<int>(m), static_cast<int>(n)};
  auto* const c = static_cast<unsigned short*>(operands.c);
  const bool is_f16 = dtype == DType::f16;
  device::launch({.grid = dim3(static_cast<unsigned>(shares.blocks)),
                  .block = dim3(threads),
                  .shared_bytes = shared_bytes},
                 stream, is_f16 ? stream_k_kernel<ptx::F16> : stream_k_kernel<ptx::Bf16>,
                 map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
                 c, parts, shares, of_c);
  if (!shares.cuts()) return;
  device::launch({.grid = dim3(device::blocks_for(parts.rows, adding / (tile_n / 8)),
                               static_cast<unsigned>(shares.tiles - shares.whole)),
                  .block = dim3(adding),
                  .early = true},
                 stream, is_f16 ? add_parts_kernel<ptx::F16> : add_parts_kernel<ptx::Bf16>, c,
                 parts, shares, of_c);
}

/// Two parts of a tile for each of at most 256 SMs.
std::size_t workspace(const Problem& problem) {
  return static_cast<std::size_t>(std::min<std::int64_t>(problem.m, tile_m)) * tile_n *
         sizeof(float) * 2 * 256;
}

}  // namespace

Variant stream_k() {
  return {"tiles left over are cut along K, so that few tiles keep all SMs at work",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          workspace,
          {.sectors_per_store = 16},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
