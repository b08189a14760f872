#pragma once

#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/attention/cuda/sm_90a/scores.cuh"
#include "kernels/attention/cuda/sm_90a/tiles.cuh"
#include "kernels/ptx/matrices.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/wgmma.cuh"

// What the rungs by wgmma do with tiles: the products, and the order in which they stand beside the
// exponentials. A rung is a Softmax, which keeps a thread's two rows:
//   static constexpr bool keeps_keys: whether the tile of keys is needed until next() ends;
//   float sum[2]: of this thread's exponentials, which become the outputs' divisor;
//   void first(Scores&, float factor): of a tile of queries, whose scores become exponentials;
//   bool next(Scores&, float factor, const Again&, float (&shrink)[2]): of another tile of keys;
//     true: outputs so far are to be multiplied by `shrink`. All lanes of a warp say the same.
namespace ridgeline::attention::on_cuda {

/// What a warp needs to compute its 16 rows of the scores once more.
template <class TypeOfFactors, int dim>
struct Again {
  using Type = TypeOfFactors;
  const unsigned (&queries)[dim / 16][4];
  const unsigned short* keys;  // the tile
};

template <int dim>
using Outputs = float[dim / 2];  // a thread's, as its scores lie
template <int depth>
using LeftFactor = unsigned[depth / 16][4];

/// A thread of the multiplying warpgroups: its place in the ring of tiles, and what it does with
/// scores, outputs, queries and probabilities, all of which are in registers.
template <class Type, int dim>
struct Attending {
  using In = Layout<dim>;

  unsigned char* memory;
  Signals<dim>& signals;
  std::uint64_t of_keys, of_values;  // descriptors of the ring's first tile
  ptx::Turn<In::stages> ring{};
  unsigned queries_parity = 0;

  __device__ __forceinline__ Attending(unsigned char* tiles, Signals<dim>& signals_of_block)
      : memory(tiles),
        signals(signals_of_block),
        of_keys(ptx::matrix_descriptor(tiles, device::Swizzle::bytes_128, 8 * 2 * piece)),
        of_values(ptx::transposed_descriptor(tiles, device::Swizzle::bytes_128,
                                             tile_keys * 2 * piece, 8 * 2 * piece)) {}

  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x) / 32 % 4; }
  static __device__ __forceinline__ int group() { return static_cast<int>(threadIdx.x) / 128; }

  static __device__ __forceinline__ void release(ptx::Barrier& barrier) {
    if (lane() == 0) ptx::barrier_arrive(&barrier);
  }

  /// Which tile of queries is next, whose queries it takes.
  __device__ __forceinline__ Tile take_queries(LeftFactor<dim>& queries) {
    ptx::barrier_wait(&signals.queries_full, queries_parity);
    queries_parity ^= 1;
    const Tile tile = signals.tile;
    if (tile.key_tiles != 0) {
      const auto* const from = reinterpret_cast<const unsigned short*>(
          memory + In::queries + static_cast<unsigned>(group()) * In::group);
#pragma unroll
      for (int d = 0; d < dim / 16; ++d)
        ptx::load_matrices(queries[d], from + place<group_queries>(16 * warp() + lane() % 16,
                                                                   2 * d + lane() / 16));
    }
    __syncwarp();  // all lanes have read
    release(signals.queries_empty);
    return tile;
  }

  /// Starts the scores of the ring's next tile, and returns its stage.
  __device__ __forceinline__ unsigned start_scores(Scores& scores, const LeftFactor<dim>& queries) {
    const unsigned stage = ring.stage;
    ptx::barrier_wait(&signals.full[stage], ring.parity);
    ring.next();
    const std::uint64_t tile = of_keys + stage * (In::tile / 16);
    ptx::products_begin();
#pragma unroll
    for (int d = 0; d < dim / 16; ++d)
      ptx::multiply_from_registers<false>(
          Type{}, scores, queries[d],
          tile + d * 16 / piece * (tile_keys * piece * 2 / 16) + d % 4 * 2, d != 0);
    ptx::products_commit();
    return stage;
  }

  /// Starts probabilities times the values in the ring's next tile, and returns its stage.
  __device__ __forceinline__ unsigned start_outputs(Outputs<dim>& outputs,
                                                    const LeftFactor<tile_keys>& probabilities,
                                                    bool add) {
    const unsigned stage = ring.stage;
    ptx::barrier_wait(&signals.full[stage], ring.parity);
    ring.next();
    const std::uint64_t tile = of_values + stage * (In::tile / 16);
    ptx::products_begin();
#pragma unroll
    for (int j = 0; j < tile_keys / 16; ++j)
      ptx::multiply_from_registers<true>(Type{}, outputs, probabilities[j],
                                         tile + j * (16 * piece * 2 / 16), j != 0 || add);
    ptx::products_commit();
    return stage;
  }
  /// Waits for these products. The exponentials stay before the wait.
  __device__ __forceinline__ void finish_outputs(Scores& scores, Outputs<dim>& outputs,
                                                 unsigned stage) {
    ptx::keep_order(scores);
    ptx::products_wait<0>(outputs);
    release(signals.empty[stage]);
  }

  /// A thread's sums lie as its part of a left factor does.
  static __device__ __forceinline__ void pack_scores(const Scores& scores,
                                                     LeftFactor<tile_keys>& probabilities) {
#pragma unroll
    for (int j = 0; j < tile_keys / 16; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        probabilities[j][i] = ptx::pack(Type{}, scores[8 * j + 2 * i], scores[8 * j + 2 * i + 1]);
  }

  /// Of the last keys that a tile of queries sees, with which it begins: only there some are
  /// hidden.
  static __device__ __forceinline__ void hide_keys(Scores& scores, const Tile& tile, int seq,
                                                   bool causal) {
    const int first_key = (tile.key_tiles - 1) * tile_keys;
    if (!causal && first_key + tile_keys <= seq) return;
    const int row = tile.first_query + group() * group_queries + 16 * warp() + lane() / 4;
    hide_behind<0>(scores, (causal ? min(row + 1, seq) : seq) - first_key);
    hide_behind<1>(scores, (causal ? min(row + 9, seq) : seq) - first_key);
  }

  /// Divides by the sums of the rows and stores: each warp its own 16 rows, by way of its own
  /// shared memory, so that it waits for no other.
  __device__ __forceinline__ void write(const Outputs<dim>& outputs, const float (&sum)[2],
                                        const Tile& tile, const device::TensorMap& o, int seq) {
    const float inverse[2] = {1.0f / sum_of_row(sum[0]), 1.0f / sum_of_row(sum[1])};
    auto* const to = reinterpret_cast<unsigned short*>(
        memory + In::outputs + static_cast<unsigned>(group() * 4 + warp()) * (In::group / 4));
    if (lane() == 0) ptx::copy_bulk_wait_read<0>();
    __syncwarp();  // the last tile has been read from there
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
      unsigned packed[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        packed[i] = ptx::pack(Type{}, outputs[8 * d + 2 * i] * inverse[i % 2],
                              outputs[8 * d + 2 * i + 1] * inverse[i % 2]);
      ptx::store_matrices(to + place<16>(lane() % 16, 2 * d + lane() / 16), packed);
    }
    ptx::fence_async_shared();
    __syncwarp();
    const int row = tile.first_query + group() * group_queries + 16 * warp();
    if (lane() == 0 && row < seq) {  // rows of the box that are not there are left out
      ptx::store_box(o, 0, row, 0, tile.head, to);
      ptx::copy_bulk_commit();
    }
  }

  template <class Softmax>
  __device__ __forceinline__ void run(const device::TensorMap& o, int seq, bool causal,
                                      float factor) {
    LeftFactor<dim> queries;
    LeftFactor<tile_keys> probabilities;
    Scores scores;
    Outputs<dim> outputs;
    Softmax softmax;
    Tile tile = take_queries(queries);
    {
      const unsigned keys = start_scores(scores, queries);
      ptx::products_wait<0>(scores);
      release(signals.empty[keys]);
      hide_keys(scores, tile, seq, causal);
      softmax.first(scores, factor);
      pack_scores(scores, probabilities);
    }
    while (true) {
      for (int n = 1; n < tile.key_tiles; ++n) {
        const unsigned keys = start_scores(scores, queries),
                       values = start_outputs(outputs, probabilities, n > 1);
        ptx::products_wait<1>(scores);
        if (!Softmax::keeps_keys) release(signals.empty[keys]);
        float shrink[2];
        const bool shrinks = softmax.next(
            scores, factor,
            Again<Type, dim>{queries,
                             reinterpret_cast<const unsigned short*>(memory + keys * In::tile)},
            shrink);
        if (Softmax::keeps_keys) release(signals.empty[keys]);
        finish_outputs(scores, outputs, values);
        if (shrinks) {
#pragma unroll
          for (int i = 0; i < dim / 2; ++i) outputs[i] *= shrink[i / 2 % 2];
        }
        pack_scores(scores, probabilities);
      }
      const Tile next = take_queries(queries);
      if (next.key_tiles == 0) break;
      // The last values of one tile of queries beside the first scores of the next.
      const unsigned keys = start_scores(scores, queries),
                     values = start_outputs(outputs, probabilities, tile.key_tiles > 1);
      ptx::products_wait<1>(scores);
      release(signals.empty[keys]);
      const float sum[2] = {softmax.sum[0], softmax.sum[1]};
      hide_keys(scores, next, seq, causal);
      softmax.first(scores, factor);
      finish_outputs(scores, outputs, values);
      write(outputs, sum, tile, o, seq);
      pack_scores(scores, probabilities);
      tile = next;
    }
    finish_outputs(scores, outputs, start_outputs(outputs, probabilities, tile.key_tiles > 1));
    write(outputs, softmax.sum, tile, o, seq);
    if (lane() == 0) ptx::copy_bulk_wait_read<0>();
  }
};

template <class Softmax, class Type, int dim>
__global__ void __launch_bounds__(attend_threads, 1)
    attend(const __grid_constant__ device::TensorMap q, const __grid_constant__ device::TensorMap k,
           const __grid_constant__ device::TensorMap v, const __grid_constant__ device::TensorMap o,
           Order order, int seq, float factor) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ Signals<dim> signals;
  unsigned char* const memory = dynamic + (1024 - ptx::shared_address(dynamic) % 1024) % 1024;
  if (threadIdx.x == 0) signals.init();
  __syncthreads();
  // 65536 registers of an SM: 240 for the 256 threads that multiply.
  if (threadIdx.x >= 128 * multiplying) {
    ptx::give_registers<24>();
    if (threadIdx.x == 128 * multiplying) bring_tiles<dim>(order, q, k, v, memory, signals);
  } else {
    ptx::take_registers<240>();
    Attending<Type, dim>(memory, signals).template run<Softmax>(o, seq, order.causal, factor);
  }
}

template <class Softmax, class Type, int dim>
void launch_attend(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  const Order order = order_of(problem);
  const std::int64_t heads = problem.all_heads(), kv_heads = heads / problem.group();
  // Scores in multiples of log 2, for exp2.
  const float factor = 1.44269504f / sqrtf(static_cast<float>(dim));
  device::launch(
      {.grid = dim3(static_cast<unsigned>(std::min(order.turns, device::units(stream)))),
       .block = dim3(attend_threads),
       .shared_bytes = Layout<dim>::with_padding},
      stream, attend<Softmax, Type, dim>, map_of(problem, heads, operands.q, group_queries),
      map_of(problem, kv_heads, operands.k, tile_keys),
      map_of(problem, kv_heads, operands.v, tile_keys), map_of(problem, heads, operands.o, 16),
      order, static_cast<int>(problem.seq), factor);
}

inline device::Support supports_rung(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("wgmma exists on GPUs of compute capability 9.0 alone");
  return check(problem, {DType::bf16, DType::f16}, /*groups_queries=*/true);
}

/// Of a rung.
template <class Softmax>
void launch_rung(const Problem& problem, const Operands& operands, device::Stream& stream) {
  using ptx::Bf16, ptx::F16;
  if (problem.dtype == DType::f16)
    problem.dim == 64 ? launch_attend<Softmax, F16, 64>(problem, operands, stream)
                      : launch_attend<Softmax, F16, 128>(problem, operands, stream);
  else
    problem.dim == 64 ? launch_attend<Softmax, Bf16, 64>(problem, operands, stream)
                      : launch_attend<Softmax, Bf16, 128>(problem, operands, stream);
}

}  // namespace ridgeline::attention::on_cuda
