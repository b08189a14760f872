#pragma once

#include <algorithm>
#include <string>

#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// What the rungs for e4m3 share: persistent blocks, a warp that loads, two warpgroups that multiply
// and store. Both factors have K along their rows, so tiles are rows of 128 bytes, 128 of K, and
// need no transposition. C, which is bf16, goes out by TMA, 16 rows of a warp at a time.
namespace ridgeline::gemm::on_cuda::e4m3 {

constexpr int tile_m = 2 * group_m, depth = 128;  // of a stage, along K
constexpr int multiplying = 2 * 128, threads = multiplying + 128;
constexpr int warp_m = 16, box_columns = 64, buffers = 2;  // of C, what a warp copies at a time
constexpr unsigned buffer_bytes = warp_m * row_bytes;

/// Tiles of 128 x `columns`, in a ring of `stages_`. `pair` blocks are a cluster: theirs lie one
/// above the other, and each loads a part of B for all.
template <int columns, unsigned stages_, int pair_>
struct Shape {
  static constexpr int tile_n = columns, pair = pair_, sums = columns / 2;  // of a thread
  static constexpr unsigned stages = stages_, a_bytes = tile_m * depth, b_bytes = columns * depth,
                            stage_bytes = a_bytes + b_bytes;
  static constexpr unsigned shared_bytes =
      stages * stage_bytes + multiplying / 32 * buffers * buffer_bytes + pattern_bytes;
};

/// What a kernel is given.
struct Arguments {
  device::TensorMap a, b, c;
  const float *scale_a, *scale_b;
  Order order;
  int chunks;  // stages of a tile
};

inline device::Support supports(const Problem& problem, const device::Facts& facts, DType dtype) {
  if (problem.dtype != dtype)
    return device::Support::unsupported("this rung multiplies " + std::string(to_string(dtype)) +
                                        " only");
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.k % 16 != 0)
    return device::Support::unsupported(
        "tensor copies take rows of whole 16 bytes: only multiples of 16 are possible for k");
  if (problem.n % 8 != 0)
    return device::Support::unsupported(
        "tensor copies take rows of whole 16 bytes: only multiples of 8 are possible for n");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("there are no tensor maps of empty matrices");
  return device::Support::yes();
}

/// What the warp that loads does. Every second tile goes backwards along K: what the last one ended
/// with is still in L2.
template <class Shape>
__device__ __forceinline__ void load_tiles(const Arguments& of, unsigned char* ring,
                                           ptx::Barrier* full, ptx::Barrier* empty) {
  constexpr int pair = Shape::pair, part_n = Shape::tile_n / pair;
  const int rank = pair > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  ptx::Turn<Shape::stages> turn;
  ptx::previous_kernel_wait();
  bool backwards = false;
  for (int index = static_cast<int>(blockIdx.x) / pair; index < of.order.count();
       index += static_cast<int>(gridDim.x) / pair, backwards = !backwards) {
    const Order::Place at = of.order.place(index);
    const int row = (at.row * pair + rank) * tile_m, column = at.column * Shape::tile_n;
    for (int chunk = 0; chunk < of.chunks; ++chunk, turn.next()) {
      unsigned char *const stage = ring + turn.stage * Shape::stage_bytes, *const right =
                                                                               stage +
                                                                               Shape::a_bytes;
      ptx::Barrier* const arrived = &full[turn.stage];
      const int k = (backwards ? of.chunks - 1 - chunk : chunk) * depth;
      ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
      ptx::barrier_arrive_expect(arrived, Shape::stage_bytes);
      ptx::load_box(stage, of.a, k, row, arrived);
      if constexpr (pair > 1)
        ptx::load_box_multicast(right + rank * part_n * row_bytes, of.b, k, column + rank * part_n,
                                arrived, (1 << pair) - 1);
      else
        ptx::load_box(right, of.b, k, column, arrived);
    }
  }
  ptx::next_kernel_may_begin();
  // No block ends while the other one's warps may still arrive at its barriers.
  if constexpr (pair > 1)
    for (unsigned stage = 0; stage < Shape::stages; ++stage, turn.next())
      ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
}

/// Starts copies of a warp's 16 rows, pairs of bf16, to C, from its buffers.
template <int count>
__device__ __forceinline__ void store_by_tma(const unsigned (&pairs)[count],
                                             unsigned char* warp_buffers,
                                             const device::TensorMap& c, int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32, line = lane % warp_m;
#pragma unroll
  for (int box = 0; box < 4 * count / box_columns; ++box) {
    unsigned char* const buffer = warp_buffers + box % buffers * buffer_bytes;
    if (lane == 0) ptx::copy_bulk_wait_read<buffers - 1>();  // the buffer is free
    __syncwarp();
#pragma unroll
    for (int at = 0; at < box_columns; at += 16) {
      const unsigned* const of = pairs + (box * box_columns + at) / 4;
      const unsigned four[] = {of[0], of[1], of[2], of[3]};
      const int piece = (at / 8 + lane / warp_m) ^ (line % 8);  // swizzled, as the copy expects it
      ptx::store_matrices(reinterpret_cast<unsigned short*>(buffer + line * row_bytes + piece * 16),
                          four);
    }
    ptx::fence_async_shared();
    __syncwarp();
    if (lane == 0) {
      ptx::store_box(c, column + box * box_columns, row, buffer);
      ptx::copy_bulk_commit();
    }
  }
}

/// What a warpgroup does: multiplies what comes through the ring, and stores tiles of C.
template <class Shape>
struct Warpgroup {
  const Arguments& of;
  ptx::Barrier *full, *empty;
  unsigned char* buffers_of_warp;
  std::uint64_t left, right;  // its factors in the first stage
  float scale;
  int index;                                 // of the tile that is stored next
  ptx::Turn<Shape::stages> turn{}, given{};  // the stages multiplied and given back next

  __device__ __forceinline__ Warpgroup(const Arguments& arguments, unsigned char* ring,
                                       ptx::Barrier* full_, ptx::Barrier* empty_)
      : of(arguments),
        full(full_),
        empty(empty_),
        buffers_of_warp(ring + Shape::stages * Shape::stage_bytes +
                        threadIdx.x / 32 * buffers * buffer_bytes),
        left(ptx::matrix_descriptor(ring + warpgroup_of_thread() * group_m * row_bytes,
                                    device::Swizzle::bytes_128, 8 * row_bytes)),
        right(ptx::matrix_descriptor(ring + Shape::a_bytes, device::Swizzle::bytes_128,
                                     8 * row_bytes)),
        scale(*arguments.scale_a * *arguments.scale_b),
        index(static_cast<int>(blockIdx.x) / Shape::pair) {}

  static __device__ __forceinline__ int step() { return static_cast<int>(gridDim.x) / Shape::pair; }
  /// Tiles that are left for this block.
  __device__ __forceinline__ int tiles() const {
    return (of.order.count() - index + step() - 1) / step();
  }
  /// Starts the products of the next stage as one group, once it has come. `keep`: adds to the sums
  /// that there are.
  __device__ __forceinline__ void multiply(float (&sums)[Shape::sums], bool keep) {
    ptx::barrier_wait(&full[turn.stage], turn.parity);
    const std::uint64_t at = turn.stage * (Shape::stage_bytes / 16);
    constexpr unsigned next = 32 / 16;  // after 32 of K
    ptx::products_begin();
#pragma unroll
    for (unsigned part = 0; part < depth / 32; ++part)
      ptx::multiply(ptx::E4m3{}, sums, left + at + part * next, right + at + part * next,
                    part != 0 || keep);
    ptx::products_commit();
    turn.next();
  }
  /// Tells all who load into it that this warp has read the oldest stage that it holds.
  __device__ __forceinline__ void give_back() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (Shape::pair > 1) {
      if (lane < Shape::pair)
        ptx::barrier_arrive_at(&empty[given.stage], static_cast<unsigned>(lane));
    } else {
      if (lane == 0) ptx::barrier_arrive(&empty[given.stage]);
    }
    given.next();
  }
  /// Stores sums times the scales as a tile, and goes on to the next one.
  __device__ __forceinline__ void store(const float (&sums)[Shape::sums]) {
    unsigned pairs[Shape::sums / 2];
#pragma unroll
    for (int i = 0; i < Shape::sums / 2; ++i)
      pairs[i] = ptx::pack(ptx::Bf16{}, sums[2 * i] * scale, sums[2 * i + 1] * scale);
    const Order::Place at = of.order.place(index);
    const int rank = Shape::pair > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
    store_by_tma(
        pairs, buffers_of_warp, of.c,
        (at.row * Shape::pair + rank) * tile_m + static_cast<int>(threadIdx.x) / 32 * warp_m,
        at.column * Shape::tile_n);
    index += step();
  }
};

/// The whole of a kernel, where `multiply(warpgroup)` makes all tiles of a block.
template <class Shape, class Multiply>
__device__ __forceinline__ void make_tiles(const Arguments& of, unsigned char* dynamic,
                                           const Multiply& multiply) {
  constexpr int pair = Shape::pair;
  __shared__ ptx::Barrier full[Shape::stages], empty[Shape::stages];
  unsigned char* const ring = first_tile(dynamic);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (unsigned stage = 0; stage < Shape::stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], pair * multiplying / 32);
    }
    ptx::fence_barrier_init();
  }
  if constexpr (pair > 1) {  // the other blocks' barriers are used, too
    ptx::cluster_arrive_relaxed();
    ptx::cluster_wait();
  } else {
    __syncthreads();
  }
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    if (thread == multiplying) load_tiles<Shape>(of, ring, full, empty);
    return;
  }
  ptx::take_registers<232>();
  ptx::previous_kernel_wait();
  Warpgroup<Shape> warpgroup(of, ring, full, empty);
  multiply(warpgroup);
  if (thread % 32 == 0) ptx::copy_bulk_wait_read<0>();
}

/// Starts `kernel` on as few SMs as need no more rounds of tiles than all of them: those that walk
/// in step share more in L2.
template <class Shape>
void launch(const Problem& problem, const Operands& operands, device::Stream& stream, int band,
            void (*kernel)(Arguments)) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, Shape::pair * tile_m, Shape::tile_n);
  const auto held = static_cast<unsigned>(std::max(device::units(stream) / Shape::pair, 1));
  const unsigned rounds = (tiles.count() + held - 1) / held,
                 clusters = (tiles.count() + rounds - 1) / rounds;
  const Arguments arguments{
      map_of(operands.a, dtype, m, k, tile_m),
      map_of(operands.b, dtype, n, k, Shape::tile_n / Shape::pair),
      map_of(operands.c, stored_as(dtype), m, n, warp_m),
      operands.scale_a,
      operands.scale_b,
      Order{static_cast<int>(tiles.rows), static_cast<int>(tiles.columns), band},
      static_cast<int>(device::blocks_for(k, depth))};
  device::launch({.grid = dim3(clusters * Shape::pair),
                  .block = dim3(threads),
                  .shared_bytes = Shape::shared_bytes,
                  .cluster = dim3(Shape::pair),
                  .early = true},
                 stream, kernel, arguments);
}

}  // namespace ridgeline::gemm::on_cuda::e4m3
