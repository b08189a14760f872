#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/cuda/sm_90a/add_tiles.cuh"
#include "kernels/attention_backward/cuda/sm_90a/tiles.cuh"
#include "kernels/ptx/exp2.cuh"
#include "kernels/ptx/matrices.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/wgmma.cuh"

// What the two multiplying warpgroups do with tiles, each for 64 of the keys. Scores are computed
// transposed, S' = K Q' and dP' = V dO': keys are rows, so that P' and dS' come out as left factors
// in registers for dV += P' dO and dK += dS' Q. dS' alone goes through shared memory, for
// dQ' = K' dS', of which each warpgroup computes half from all keys (Layout::half_of_dq).
//
// Products of a warpgroup for tile i of queries, in this order: dP(i), dV(i), dQ(i - 1), dK(i),
// S(i + 1). Exponentials are computed beside dP, dS beside dV; dS is stored beside dQ, and dQ
// handed over beside dK. dQ is a tile late, so that no warpgroup waits for the other's dS: they
// fall out of step by themselves, and one multiplies while the other computes.
// Nothing is under way over the loop's back edge: ptxas would put all products one after another.
namespace ridgeline::attention_backward::on_cuda {

template <class In, bool causal>
struct Differentiating {
  using Type = ptx::Bf16;
  static constexpr int rows = In::rows, head_dim = In::dim;
  static constexpr int own_scores = rows / 2, steps = rows / 16;  // of 16 queries
  // Of how many steps L is read while the scores are computed: as many as registers allow without
  // other products waiting for it (one step more or less costs 1 to 3%).
  static constexpr int early_steps = rows == 80 ? steps : rows == 64 ? 2 : 1;
  // Whether keys are hidden before dP's products start, and not beside them.
  static constexpr bool hides_first = causal || head_dim == 64;
  using Scores = float[own_scores];
  using OwnDq = float[In::half_of_dq / 128];
  using Packed = unsigned[steps][4];
  using RowNumbers = float[rows / 4];  // of the queries that a thread has scores of

  unsigned char* const memory;
  Signals& signals;
  const int seq;
  const int group;  // which warpgroup
  // Descriptors: this warpgroup's keys and values, its dimensions of all keys, and of the block's
  // memory, at which other tiles are so many bytes / 16 further.
  const std::uint64_t own_keys, own_values, key_columns, of_rows, of_columns;
  unsigned at = 0;  // tiles of queries so far: tells stages, and phases of their barriers

  __device__ __forceinline__ Differentiating(unsigned char* block_memory, Signals& of_block,
                                             int length, int warpgroup)
      : memory(block_memory),
        signals(of_block),
        seq(length),
        group(warpgroup),
        own_keys(rows_at(block_memory + In::keys + warpgroup * (group_keys * piece * 2))),
        own_values(rows_at(block_memory + In::values + warpgroup * (group_keys * piece * 2))),
        key_columns(columns_at(block_memory + In::keys +
                               (In::pieces == 1 ? 0 : warpgroup * In::key_panel))),
        of_rows(rows_at(block_memory)),
        of_columns(columns_at(block_memory)) {}

  static __device__ __forceinline__ std::uint64_t rows_at(const unsigned char* factor) {
    return ptx::matrix_descriptor(factor, device::Swizzle::bytes_128, 8 * 2 * piece);
  }
  static __device__ __forceinline__ std::uint64_t columns_at(const unsigned char* factor) {
    return ptx::transposed_descriptor(factor, device::Swizzle::bytes_128, In::panel, 8 * 2 * piece);
  }
  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x % 32); }
  static __device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x / 32 % 4); }
  static __device__ __forceinline__ void release(ptx::Barrier& barrier) {
    if (lane() == 0) ptx::barrier_arrive(&barrier);
  }
  /// What the warp has stored is then visible to the asynchronous unit.
  static __device__ __forceinline__ void hand_over(ptx::Barrier& barrier) {
    ptx::fence_async_shared();
    __syncwarp();
    release(barrier);
  }

  /// The same on all lanes of a warp, and known to be: then it takes uniform registers alone, of
  /// which there are enough.
  static __device__ __forceinline__ int uniform(int value) {
    return __shfl_sync(0xFFFFFFFFu, value, 0);
  }
  __device__ __forceinline__ KeyTile tile_of_warp(unsigned parity) const {
    const KeyTile tile = signals.tile[parity];
    return {uniform(tile.head), uniform(tile.number), uniform(tile.first), uniform(tile.begin)};
  }

  /// Starts left times the transposed tile that lies `offset` bytes into the block's memory: scores
  /// by queries, or gradients of probabilities by those of outputs.
  __device__ __forceinline__ void start_scores(Scores& scores, std::uint64_t left,
                                               unsigned offset) {
    const std::uint64_t right = of_rows + offset / 16;
    ptx::products_begin();
#pragma unroll
    for (int d = 0; d < head_dim / 16; ++d)
      ptx::multiply<false>(Type{}, scores, left + d % 4 * 2 + d / 4 * (In::key_panel / 16),
                           right + d % 4 * 2 + d / 4 * (In::panel / 16), d != 0);
    ptx::products_commit();
  }
  /// Starts sums += left times the tile there.
  __device__ __forceinline__ void start_sums(float (&sums)[head_dim / 2], const Packed& left,
                                             unsigned offset) {
    ptx::products_begin();
#pragma unroll
    for (int i = 0; i < steps; ++i)
      ptx::multiply_from_registers<true>(Type{}, sums, left[i],
                                         of_columns + (offset + i * (16 * piece * 2)) / 16, true);
    ptx::products_commit();
  }
  /// Starts this warpgroup's half of dQ', of the gradients of scores there.
  __device__ __forceinline__ void start_dq(OwnDq& dq, unsigned offset) {
    const unsigned own_queries = In::pieces == 1 ? group * (In::dq_queries * piece * 2) : 0;
    const std::uint64_t right = of_rows + (offset + own_queries) / 16;
    ptx::products_begin();
#pragma unroll
    for (int k = 0; k < tile_keys / 16; ++k)
      ptx::multiply<true>(Type{}, dq, key_columns + k * (16 * piece * 2 / 16),
                          right + k % 4 * 2 + k / 4 * (In::panel / 16), k != 0);
    ptx::products_commit();
  }

  /// Where L of a stage's queries lies in the block's memory, or D.
  static __device__ __forceinline__ unsigned row_numbers(unsigned stage, bool of_d) {
    return In::row_numbers + (2 * stage + (of_d ? 1 : 0)) * (rows * 4);
  }
  /// The numbers there, in steps from `first` to before `last`. They lie in the order in which
  /// threads need them: prepare.cuh.
  template <int first, int last>
  __device__ __forceinline__ void load(RowNumbers& numbers, unsigned offset) const {
    const auto* const from = reinterpret_cast<const float4*>(memory + offset) + lane() % 4;
#pragma unroll
    for (int i = first; i < last; ++i) {
      const float4 four = from[4 * i];
      numbers[4 * i] = four.x;
      numbers[4 * i + 1] = four.y;
      numbers[4 * i + 2] = four.z;
      numbers[4 * i + 3] = four.w;
    }
  }

  /// Hides keys that the queries from `first_query` on do not see; without a causal mask, keys that
  /// are not there. With one, no query that is there sees those.
  __device__ __forceinline__ void hide_keys(Scores& scores, int first_key, int first_query) const {
    unsigned thread[] = {threadIdx.x};
    ptx::keep_order(thread);  // so that nothing is kept ready for it all the time
    const int in_warp = static_cast<int>(thread[0] % 32),
              key = first_key + group * group_keys + static_cast<int>(thread[0] / 32 % 4) * 16 +
                    in_warp / 4,
              behind = key - first_query - in_warp % 4 * 2;  // the thread's first query
#pragma unroll
    for (int i = 0; i < own_scores; ++i) {
      const int later = i / 2 % 2 * 8;  // key
      if (causal ? i / 4 * 8 + i % 2 - later < behind : key + later >= seq) scores[i] = -INFINITY;
    }
  }

  /// Scores become probabilities, packed.
  static __device__ __forceinline__ void exponentials(Scores& scores, float factor,
                                                      const RowNumbers& logarithms, Packed& p) {
#pragma unroll
    for (int j = 0; j < steps; ++j) {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        scores[8 * j + i] = ptx::exp2_approximate(
            fmaf(scores[8 * j + i], factor, -logarithms[4 * j + i / 4 * 2 + i % 2]));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        p[j][i] = ptx::pack(Type{}, scores[8 * j + 2 * i], scores[8 * j + 2 * i + 1]);
    }
  }
  /// dS from dP. Probabilities are taken from what is packed: there are no registers to keep them
  /// as f32.
  static __device__ __forceinline__ void gradients(const Packed& p, const Scores& dp,
                                                   const RowNumbers& d, Packed& ds) {
#pragma unroll
    for (int j = 0; j < steps; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        ds[j][i] = ptx::pack(
            Type{}, __uint_as_float(p[j][i] << 16) * (dp[8 * j + 2 * i] - d[4 * j + i / 2 * 2]),
            __uint_as_float(p[j][i] & 0xFFFF0000u) *
                (dp[8 * j + 2 * i + 1] - d[4 * j + i / 2 * 2 + 1]));
  }

  /// Stores dS' as rows of queries, this warpgroup's keys in its own panel.
  __device__ __forceinline__ void store(const Packed& ds, unsigned stage) const {
    const int matrix = lane() / 8, row = lane() % 8;
    auto* const to = reinterpret_cast<unsigned short*>(
        memory + In::ds + stage * In::ds_tile + group * In::panel + (matrix / 2 * 8 + row) * 128 +
        ((2 * warp() + matrix % 2) ^ row) * 16);
#pragma unroll
    for (int j = 0; j < steps; ++j) ptx::store_matrices_transposed(to + j * (16 * piece), ds[j]);
  }
  /// Leaves dQ for the thread that adds it, as this thread has it.
  __device__ __forceinline__ void leave(const OwnDq& dq) const {
    auto* const to = reinterpret_cast<float4*>(memory + In::dq) + group * (In::half_of_dq / 4) +
                     threadIdx.x % 128;
#pragma unroll
    for (int j = 0; j < In::half_of_dq / 512; ++j)
      to[j * 128] = make_float4(dq[4 * j], dq[4 * j + 1], dq[4 * j + 2], dq[4 * j + 3]);
  }

  /// Stores sums of this warpgroup's keys, by way of its part of dS's memory.
  __device__ __forceinline__ void write(const float (&sums)[head_dim / 2], float factor,
                                        const KeyTile& tile, const device::TensorMap& to) const {
    unsigned char* const own = memory + In::ds + group * In::panel;
    unsigned thread[] = {threadIdx.x};
    ptx::keep_order(thread);  // so that places are not kept ready all the time
    const unsigned of_warp = thread[0] / 32 % 4, matrix = thread[0] / 8 % 4, row = thread[0] % 8;
#pragma unroll
    for (int j = 0; j < head_dim / 16; ++j) {
      unsigned packed[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        packed[i] =
            ptx::pack(Type{}, sums[8 * j + 2 * i] * factor, sums[8 * j + 2 * i + 1] * factor);
      auto* const place = reinterpret_cast<unsigned short*>(
          own + j / 4 * In::ds_tile + (of_warp * 16 + matrix % 2 * 8 + row) * 128 +
          ((j % 4 * 2 + matrix / 2) ^ row) * 16);
      ptx::store_matrices(place, packed);
    }
    ptx::fence_async_shared();
    __syncwarp();
    // Each warp its own 16 rows: it waits for no other. Rows that are not there are left out.
    const int first = tile.number * tile_keys + group * group_keys + static_cast<int>(of_warp) * 16;
    if (lane() == 0) {
      if (first < seq)
        for (int i = 0; i < In::pieces; ++i)
          ptx::store_box(to, 0, first, i, tile.head, own + i * In::ds_tile + of_warp * (16 * 128));
      ptx::copy_bulk_commit();
      ptx::copy_bulk_wait_read<0>();
    }
    __syncwarp();
  }

  template <bool ordered>
  __device__ __forceinline__ void run(const Order& order, const Maps& maps, float factor,
                                      float log2_factor) {
    float dk[head_dim / 2], dv[head_dim / 2];
    Scores scores;
    RowNumbers logarithms;
    release(signals.values_full);
#pragma unroll 1
    for (unsigned keys_parity = 0;; keys_parity ^= 1) {
      ptx::barrier_wait(&signals.keys_full, keys_parity);
      const KeyTile tile = tile_of_warp(keys_parity);
      if (tile.head < 0) break;
      const int first_key = tile.number * tile_keys;
#pragma unroll
      for (int i = 0; i < head_dim / 2; ++i) dk[i] = dv[i] = 0;
      ptx::barrier_wait(&signals.queries_full[at % 2], at / 2 % 2);
      start_scores(scores, own_keys, In::queries + at % 2 * In::tile);
      load<0, early_steps>(logarithms, row_numbers(at % 2, false));
      ptx::products_wait<0>(scores);
      ptx::barrier_wait(&signals.values_full, keys_parity);
      bool is_first = true;
#pragma unroll 1
      for (Passing<ordered> way(order, tile); way.left != 0;
           way.next(order, tile), ++at, is_first = false) {
        const unsigned stage = at % 2, parity = at / 2 % 2;
        const unsigned queries = In::queries + stage * In::tile, d_o = In::d_o + stage * In::tile;
        const bool is_last = way.left == 1;
        Scores dp;
        OwnDq dq;
        Packed p, ds;
        const bool hides = first_key + tile_keys > (causal ? way.m * rows : seq);
        // Where ptxas finds exponentials behind the products, without a branch between them, it
        // mixes the two, so that the products start late. With heads of 128 and no mask that costs
        // 12 to 16%; else it costs less than hiding keys behind the products.
        if (hides_first && hides) hide_keys(scores, first_key, way.m * rows);
        ptx::barrier_wait(&signals.d_o_full[stage], parity);
        start_scores(dp, own_values, d_o);
        if (!hides_first && hides) hide_keys(scores, first_key, way.m * rows);
        load<early_steps, steps>(logarithms, row_numbers(stage, false));
        exponentials(scores, log2_factor, logarithms, p);
        RowNumbers d;
        load<0, steps>(d, row_numbers(stage, true));
        Packed factor_of_dv;
#pragma unroll
        for (int j = 0; j < steps; ++j) ptx::copy(p[j], factor_of_dv[j]);
        start_sums(dv, factor_of_dv, d_o);
        ptx::products_wait<1>(dp);
        gradients(p, dp, d, ds);
#pragma unroll
        for (int j = 0; j < steps; ++j) ptx::keep_order(ds[j]);
        // dQ of the tile before. There is no branch around the product, because its registers would
        // be kept all the time: the first one is of gradients of outputs, or of keys and values,
        // where those are not as wide, and nobody takes it. Nor around the waits without a mask,
        // where it costs 2%: at the first tile they are for what has been.
        const bool waits = !causal || !is_first;
        const unsigned unused = In::pieces == 1 ? In::keys : d_o;
        if (waits) ptx::barrier_wait(&signals.ds_full, stage ^ 1);
        start_dq(dq, is_first ? unused : In::ds + (stage ^ 1) * In::ds_tile);
        if (waits) ptx::barrier_wait(&signals.ds_free, !causal && is_first ? stage ^ 1 : stage);
        store(ds, stage);
        start_sums(dk, ds, queries);
        hand_over(signals.ds_full);  // after products that do not need it
        ptx::products_wait<1>(dv);
        ptx::keep_order(dq);
        if (!is_first) {
          release(signals.ds_free);
          ptx::barrier_wait(&signals.dq_free[group], stage);
          leave(dq);
        }
        if (!is_last) ptx::barrier_wait(&signals.queries_full[stage ^ 1], (at + 1) / 2 % 2);
        ptx::products_wait<0>(dk);
        // The next scores, and L; after the last tile those of some keys, which nobody takes: a
        // branch in place of that costs up to 10%.
        start_scores(scores, own_keys, is_last ? In::keys : In::queries + (stage ^ 1) * In::tile);
        release(signals.queries_free[stage]);
        load<0, early_steps>(logarithms, is_last ? In::keys : row_numbers(stage ^ 1, false));
        if (!is_first) hand_over(signals.dq_full[group]);
        ptx::products_wait<0>(scores);
      }
      const unsigned last = (at - 1) % 2;
      OwnDq dq;
      ptx::barrier_wait(&signals.ds_full, last);
      start_dq(dq, In::ds + last * In::ds_tile);
      ptx::products_wait<0>(dq);
      release(signals.keys_free);
      release(signals.ds_free);
      ptx::barrier_wait(&signals.dq_free[group], last ^ 1);
      leave(dq);
      hand_over(signals.dq_full[group]);
      ptx::barrier_wait(&signals.ds_free, last);
      write(dv, 1, tile, maps.dv);
      write(dk, factor, tile, maps.dk);
      release(signals.values_full);  // its part of dS's memory is free for other warps
    }
  }
};

template <int dim, int rows, bool causal, class Adding>
__global__ void __launch_bounds__(differentiate_threads, 1)
    backward(const __grid_constant__ Maps maps, Order order, Between between, float factor,
             float log2_factor) {
  using In = Layout<dim, rows>;
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ Signals signals;
  unsigned char* const memory = dynamic + (1024 - ptx::shared_address(dynamic) % 1024) % 1024;
  if (threadIdx.x == 0) signals.init();
  __syncthreads();
  // Descriptors, too, are in uniform registers.
  const int warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) / 128, 0);
  if (warpgroup == 2) {
    ptx::give_registers<24>();
    const int thread = static_cast<int>(threadIdx.x) - 256;
    if (thread == 0)
      bring_tiles<In, causal, Adding::ordered>(order, maps, between, memory, signals);
    else if (thread == 32 || thread == 64)
      add_tiles<In, causal, Adding>(order, between, memory, signals, thread / 64);
  } else {
    ptx::take_registers<240>();
    Differentiating<In, causal>(memory, signals, order.seq, warpgroup)
        .template run<Adding::ordered>(order, maps, factor, log2_factor);
  }
}

}  // namespace ridgeline::attention_backward::on_cuda
