#include "harness/device/facts.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/rows/cuda/softmax.cuh"

// A row that no block can hold lies in the shared memory of the blocks of a cluster, 64 KiB each,
// so that rows of up to 512 KiB are read from DRAM once. Bulk copies bring a block's piece in four
// parts, and work begins with the first. There is one exchange a row: each warp sends its maximum
// and sum to all blocks. An SM holds three blocks: one loads, one computes, one stores. Bound by
// DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int threads = 256, count = 4, parts = 4, most_blocks = 8;
constexpr int part = threads * count;  // accesses
constexpr int most_piece = parts * part;

template <class Element>
__global__ void __launch_bounds__(threads)
    softmax_in_cluster_kernel(int vectors, int piece, const uint4* x, uint4* out) {
  constexpr int lanes = lanes_of<Element>, of_block = threads / 32;
  const Element* const type = nullptr;
  RIDGELINE_DYNAMIC_SHARED(uint4, held);
  __shared__ Part exchange[most_blocks * of_block];
  __shared__ ptx::Barrier arrived[parts];
  ptx::cluster_arrive_relaxed();
  const int thread = static_cast<int>(threadIdx.x), blocks = static_cast<int>(ptx::cluster_size()),
            rank = static_cast<int>(ptx::cluster_rank());
  const std::int64_t first =
      std::int64_t{blockIdx.x} / blocks * vectors + std::int64_t{rank} * piece;
  const int size = max(min(vectors - rank * piece, piece), 0);  // of this block's piece
  if (thread == 0) {
    for (int p = 0; p < parts; ++p) ptx::barrier_init(&arrived[p], 1);
    ptx::fence_barrier_init();
    for (int p = 0; p < parts && p * part < size; ++p) {
      const unsigned bytes =
          static_cast<unsigned>(min(size - p * part, part)) * static_cast<unsigned>(sizeof(uint4));
      ptx::barrier_arrive_expect(&arrived[p], bytes);
      ptx::copy_bulk_load_kept(held + p * part, x + first + p * part, bytes, &arrived[p]);
    }
  }
  __syncthreads();

  Part mine;
  for (int p = 0; p < parts && p * part < size; ++p) {
    ptx::barrier_wait(&arrived[p], 0);
    float value[count][lanes];
    Part next = mine;
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int at = p * part + j * threads + thread;
      if (at < size) unpack(type, held[at], value[j]);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (at >= size) value[j][i] = -INFINITY;
        next.top = fmaxf(next.top, value[j][i]);
      }
    }
    next.sum = mine.sum * power(mine.top, next.top);
#pragma unroll
    for (int j = 0; j < count; ++j)
#pragma unroll
      for (int i = 0; i < lanes; ++i) next.sum += power(value[j][i], next.top);
    mine = next;
  }
  mine = part_of_warp(mine);
  ptx::cluster_wait();  // all blocks have begun: their shared memory may be written
  if (lane() == 0)
    for (int to = 0; to < blocks; ++to)
      *ptx::map_shared_rank(&exchange[rank * of_block + warp()], static_cast<unsigned>(to)) = mine;
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  Part all;
  for (int i = lane(); i < blocks * of_block; i += 32) all = together(all, exchange[i]);
  all = part_of_warp(all);

  const float scale = scale_of(all.sum);
#pragma unroll 4
  for (int at = thread; at < size; at += threads) {
    float value[lanes];
    unpack(type, held[at], value);
#pragma unroll
    for (int i = 0; i < lanes; ++i) value[i] = power(value[i], all.top) * scale;
    store_once(out + first + at, pack(type, value));
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  const int vectors = vectors_of_row(problem);
  int blocks = 2;
  while (blocks * most_piece < vectors) blocks *= 2;
  const int piece = (vectors + blocks - 1) / blocks;
  with_element(problem, [&]<class Element>(Element) {
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows * blocks)),
                    .block = dim3(threads),
                    .shared_bytes = static_cast<std::size_t>(piece) * sizeof(uint4),
                    .cluster = dim3(static_cast<unsigned>(blocks))},
                   stream, softmax_in_cluster_kernel<Element>, vectors, piece,
                   static_cast<const uint4*>(operands.x), static_cast<uint4*>(operands.out));
  });
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.rows * most_blocks > 0x7FFFFFFF)
    return device::Support::unsupported("a grid has at most 2^31 - 1 blocks");
  return whole_vectors(problem, {Operation::softmax}, most_blocks * most_piece);
}

}  // namespace

Variant softmax_in_cluster() {
  return {"the row in the shared memory of a cluster: read once, one exchange between its blocks",
          {Operation::softmax},
          {DType::f32, DType::bf16},
          2,
          1,
          supports,
          launch,
          nullptr,
          {.sectors_per_store = 16, .wavefronts_per_shared_request = 1.75}};
}

}  // namespace ridgeline::rows::on_cuda
