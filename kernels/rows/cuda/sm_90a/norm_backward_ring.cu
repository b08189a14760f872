#include "harness/device/facts.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/rows/cuda/backward.cuh"

// Over norm_backward_in_registers: a ring of rows of x and dy in shared memory, which bulk copies
// fill while the block is still at the rows before. So 128 KiB an SM and more are always under
// way, without a register spent on them. Wide rows leave no registers either for what was read from
// the ring, and read it again. At the end blocks add up their gradients of gamma and beta in pairs,
// through each other's shared memory, so that half as many are written down and read again, while
// DRAM has nothing else to do. Both kernels begin before the one before has ended. Bound by DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr unsigned most_stages = 8;
/// Of an SM: more makes the SMs unequal, some of which then end late.
constexpr unsigned ring_bytes(int each) { return each == 2 ? 128 << 10 : 192 << 10; }

/// At which the blocks of a pair wait for each other: the other one has read all its rows, and
/// expects the half that it is given; that half has come.
struct PairBarriers {
  ptx::Barrier done, given;
};

/// Adds up the gradients of a pair of blocks, of which this one, number `own`, does a half; that of
/// the other one it stores in its ring, of which it takes no more than a stage. By all threads.
template <int own, class Element, bool layer, int count>
__device__ __forceinline__ void add_up_half(const Columns<Element, layer, count>& columns,
                                            PairBarriers& barriers, uint4* ring, float* to,
                                            std::int64_t stride, int first_access) {
  constexpr int half = count / 2, sides = layer ? 2 : 1, fours = lanes_of<Element> / 4;
  constexpr unsigned other = 1 - own;
  const unsigned threads = blockDim.x;
  if (threadIdx.x == 0)
    ptx::barrier_arrive_expect(
        &barriers.given, half * sides * fours * threads * static_cast<unsigned>(sizeof(float4)));
  __syncwarp();
  if (lane() == 0) ptx::barrier_arrive_at(&barriers.done, other);
  ptx::barrier_wait(&barriers.done, 0);
  const auto place = [=](int j, int side, int i) {
    return reinterpret_cast<float4*>(ring) + ((j * sides + side) * fours + i) * threads +
           threadIdx.x;
  };
#pragma unroll
  for (int j = 0; j < half; ++j)
#pragma unroll
    for (int side = 0; side < sides; ++side)
#pragma unroll
      for (int i = 0; i < fours; ++i)
        ptx::store_async_at(place(j, side, i), columns.four(other * half + j, side, 4 * i),
                            &barriers.given, other);
  ptx::barrier_wait(&barriers.given, 0);
#pragma unroll
  for (int j = 0; j < half; ++j)
#pragma unroll
    for (int side = 0; side < sides; ++side)
#pragma unroll
      for (int i = 0; i < fours; ++i) {
        const float4 x = columns.four(own * half + j, side, 4 * i), y = *place(j, side, i);
        const int at = (first_access + (own * half + j) * 32) * lanes_of<Element> + 4 * i;
        __stcg(reinterpret_cast<float4*>(to + side * stride + at),
               make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w));
      }
}

/// Of `stages` stages, each a row of x and one of dy.
template <class Element, bool layer, int count>
__global__ void __launch_bounds__(backward_threads, 1)
    backward_ring_kernel(int rows, int vectors, std::int64_t stride, unsigned stages,
                         const uint4* x, const uint4* dy, const uint4* gamma, const float* rstds,
                         const float* means, uint4* dx, float* sums) {
  ptx::next_kernel_may_begin();
  RIDGELINE_DYNAMIC_SHARED(uint4, ring);
  __shared__ ptx::Barrier full[most_stages];
  __shared__ PairBarriers pair;
  __shared__ float2 shared[2][most_warps];
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  // Accesses of a warp lie one after the other: what tells them apart is part of the instruction.
  const int first_access = warp() * 32 * count + lane();
  const float per_col = 1 / (static_cast<float>(vectors) * lanes_of<Element>);
  const auto load = [&](unsigned stage, int row) {
    const unsigned bytes = static_cast<unsigned>(vectors) * sizeof(uint4);
    const std::int64_t first = std::int64_t{row} * vectors;
    uint4* const to = ring + static_cast<std::size_t>(2 * stage) * vectors;
    ptx::barrier_arrive_expect(&full[stage], 2 * bytes);
    ptx::copy_bulk_load_kept(to, x + first, bytes, &full[stage]);
    ptx::copy_bulk_load_kept(to + vectors, dy + first, bytes, &full[stage]);
  };
  int row = static_cast<int>(blockIdx.x);
  if (thread == 0) {
    for (unsigned i = 0; i < stages; ++i) ptx::barrier_init(&full[i], 1);
    ptx::barrier_init(&pair.done, blockDim.x / 32);
    ptx::barrier_init(&pair.given, 1);
    ptx::fence_barrier_init();
  }
  ptx::previous_kernel_wait();
  if (thread == 0) {
    for (unsigned i = 0; i < stages && row + static_cast<int>(i) * step < rows; ++i)
      load(i, row + static_cast<int>(i) * step);
  }
  Columns<Element, layer, count> columns;
  float next_rstd = row < rows ? rstds[row] : 0, next_mean = layer && row < rows ? means[row] : 0;
  __syncthreads();
  ptx::cluster_arrive_relaxed();

  // Whether a row is kept, once read, so that its stage is free after the sums; else after dx.
  constexpr bool kept = count <= 2;
  uint4 held_gamma[kept ? count : 1];
  if constexpr (kept)
    for (int j = 0; j < count; ++j) held_gamma[j] = gamma[first_access + j * 32];
  unsigned stage = 0, parity = 0;
  for (int turn = 0; row < rows; row += step, ++turn) {
    const float rstd = next_rstd, mean = next_mean;
    if (row + step < rows) {
      next_rstd = rstds[row + step];
      if constexpr (layer) next_mean = means[row + step];
    }
    ptx::barrier_wait(&full[stage], parity);
    const uint4* const from = ring + static_cast<std::size_t>(2 * stage) * vectors + first_access;
    uint4 held_x[kept ? count : 1], held_dy[kept ? count : 1];
    const auto read = [&](int j, uint4& x_of, uint4& dy_of, uint4& gamma_of) {
      x_of = from[j * 32];
      dy_of = from[vectors + j * 32];
      if constexpr (!kept) gamma_of = gamma[first_access + j * 32];  // from L1
    };
    float2 of_row = make_float2(0, 0);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int at = kept ? j : 0;
      read(j, held_x[at], held_dy[at], held_gamma[at]);
      columns.add(j, held_x[at], held_dy[at], held_gamma[at], rstd, mean, of_row);
    }
    of_row = means_over_block<layer>(of_row, per_col, shared[turn % 2]);
    // All threads have come here: the stage of this row, or of the one before, is free.
    const unsigned free = kept ? stage : (stage == 0 ? stages : stage) - 1;
    const int next = row + (static_cast<int>(stages) - (kept ? 0 : 1)) * step;
    if (thread == 0 && next < rows && (kept || turn > 0)) load(free, next);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int at = kept ? j : 0;
      if constexpr (!kept) read(j, held_x[at], held_dy[at], held_gamma[at]);
      store_once(dx + std::int64_t{row} * vectors + first_access + j * 32,
                 columns.dx(held_x[at], held_dy[at], held_gamma[at], rstd, mean, of_row));
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  ptx::cluster_wait();  // the mbarriers of both blocks are there
  float* const to = columns.place(sums, stride, blockIdx.x / 2);
  if (ptx::cluster_rank() == 0)  // known when compiled, since registers have no numbers to count by
    add_up_half<0>(columns, pair, ring, to, stride, first_access);
  else
    add_up_half<1>(columns, pair, ring, to, stride, first_access);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.cols == 0) return;
  const Spread spread = spread_of(problem);
  const unsigned pairs = std::max(blocks_of(problem, device::units(stream)) / 2, 1u);
  const unsigned stage_bytes = static_cast<unsigned>(vectors_of_row(problem)) * 2 * sizeof(uint4);
  const unsigned stages =
      std::min(ring_bytes(spread.each) / spread.per_unit / stage_bytes, most_stages);
  with_element(problem, [&]<class Element>(Element) {
    const auto start = [&](auto kernel) {
      device::launch({.grid = dim3(2 * pairs),
                      .block = dim3(spread.threads),
                      .shared_bytes = std::size_t{stages} * stage_bytes,
                      .cluster = dim3(2),
                      .early = true},
                     stream, kernel, static_cast<int>(problem.rows), vectors_of_row(problem),
                     problem.side_stride(), stages, static_cast<const uint4*>(operands.x),
                     static_cast<const uint4*>(operands.dy),
                     static_cast<const uint4*>(operands.gamma), operands.rstd, operands.mean,
                     static_cast<uint4*>(operands.out), static_cast<float*>(operands.workspace));
    };
    if (problem.is_layer())
      start(spread.each == 2 ? backward_ring_kernel<Element, true, 2>
                             : backward_ring_kernel<Element, true, 4>);
    else
      start(spread.each == 2 ? backward_ring_kernel<Element, false, 2>
                             : backward_ring_kernel<Element, false, 4>);
  });
  start_sum_of_blocks(problem, operands, pairs, stream, true);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (const device::Support support = rows_of_blocks(problem, 4); !support) return support;
  const Spread spread = spread_of(problem);
  if (vectors_of_row(problem) % static_cast<int>(32 * spread.each) != 0)
    return device::Support::unsupported("each thread has as many accesses of a row: multiples of " +
                                        std::to_string(512 * spread.each) + " bytes");
  return device::Support::yes();
}

}  // namespace

Variant norm_backward_ring() {
  return {
      "rows of x and dy by bulk copies through a ring, read ahead; kernels that begin early",
      {Operation::layer_norm_backward, Operation::rms_norm_backward},
      {DType::f32, DType::bf16},
      3,
      2,
      supports,
      launch,
      sums_of_blocks,
      {.sectors_per_load = 3.08, .sectors_per_store = 15, .wavefronts_per_shared_request = 1.92}};
}

}  // namespace ridgeline::rows::on_cuda
