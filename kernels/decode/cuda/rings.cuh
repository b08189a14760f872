#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/decode/cuda/parts.cuh"
#include "kernels/decode/cuda/unit_sums.cuh"
#include "kernels/decode/cut.hpp"
#include "kernels/ptx/dependent_launch.cuh"

// How the rungs on tensor cores read the cache: each warp through a ring of its own, from which it
// takes units and multiplies them. No warp waits for another before the end of a head. All blocks
// read as many bytes, and a block that has a head to itself leaves no part. What fills the rings is
// the rung's.
namespace ridgeline::decode::on_cuda {

/// Of an SM: of one block, or of two where heads alone fill the GPU, so that one adds its warps'
/// sums up while the other one reads.
constexpr int ring_warps = 8;
/// As many as the workspace has parts for.
constexpr std::int64_t most_ring_blocks = 512;

/// What all blocks have in common. A head here is up to most_queries heads of Q that share a head
/// of K and V: a group, or a piece of one.
struct Task {
  Cut cut;
  const unsigned* q;  // pairs of elements, as of O
  unsigned* o;
  Parts parts;  // most_queries rows a part; two parts a block: of its first head and its last one
  std::int64_t keys;
  int group, pieces;  // of a group
  float factor;

  __device__ __forceinline__ int first_query(int head) const {
    return head / pieces * group + head % pieces * most_queries;
  }
  __device__ __forceinline__ int queries(int head) const {
    return min(most_queries, group - head % pieces * most_queries);
  }
};

template <int dim, int warps>
struct RingsShared {
  static constexpr int stride = dim + 4;  // queries of neighbouring lanes fall into other banks
  unsigned short rings[warps][ring_stages<dim>][unit_elements<dim>];
  float outputs[warps][most_queries][stride];
  float2 sums[warps][most_queries];
};

/// Adds up the warps' sums of a head: to O, or to a part of it, number `part`, which
/// keep(part, query, pair, sum, (largest, total)) stores.
template <class Type, int dim, int warps, class Keep>
__device__ __forceinline__ void merge(const RingsShared<dim, warps>& shared, const Task& task,
                                      int head, bool whole, int part, Keep keep) {
  constexpr int pairs = dim / 2;
  const std::int64_t first = std::int64_t{task.first_query(head)} * pairs;
  for (int index = static_cast<int>(threadIdx.x); index < task.queries(head) * pairs;
       index += 32 * warps) {
    const int query = index / pairs, pair = index % pairs;
    // One of the warps has had a key, so there is a finite maximum.
    float largest = -INFINITY, total = 0;
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) largest = fmaxf(largest, shared.sums[warp][query].x);
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) {
      const float2 its = shared.sums[warp][query],
                   output =
                       *reinterpret_cast<const float2*>(&shared.outputs[warp][query][2 * pair]);
      const float weight = ptx::exp2_approximate(its.x - largest);
      total += weight * its.y;
      sum.x += weight * output.x;
      sum.y += weight * output.y;
    }
    if (whole) {
      task.o[first + index] = ptx::pack(Type{}, sum.x / total, sum.y / total);
    } else {
      keep(part, query, pair, sum, make_float2(largest, total));
    }
  }
}

/// Leaves a part in the workspace.
template <int dim>
struct KeepInMemory {
  Parts parts;
  __device__ __forceinline__ void operator()(int part, int query, int pair, const float2& sum,
                                             const float2& of_sum) const {
    const int row = part * most_queries + query;
    reinterpret_cast<float2*>(parts.outputs)[row * (dim / 2) + pair] = sum;
    if (pair == 0) parts.sums[row] = of_sum;
  }
};

/// A block's share of the cache. `ring` is the warp's own: begin() comes before all that touches
/// device memory, load(stage, head, unit) starts copying a
/// unit of a head of the cache, skip() says that there is none for this turn, and wait(stage, turn)
/// waits for a stage's unit number `turn`; all lanes call them together.
template <class Type, int dim, int warps, class Ring, class Keep>
__device__ __forceinline__ void read_cache(Ring& ring, RingsShared<dim, warps>& shared,
                                           const Task& task, Keep keep) {
  constexpr int stages = ring_stages<dim>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const auto block = static_cast<int>(blockIdx.x);
  const int units = task.cut.units, begin = task.cut.begin(block), end = task.cut.begin(block + 1),
            first_head = begin / units;
  // Warps take units in turn. What is loaded is ahead of what is added by a ring.
  UnitOfHead next(begin + warp, units);
  const auto load = [&](int stage, bool is_free) {
    if (is_free && next.at < end)
      ring.load(stage, next.head / task.pieces, next.unit);
    else
      ring.skip();
    next.advance(warps, units);
  };
  ring.begin();
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) load(stage, true);

  int at = begin + warp, stage = 0;
  unsigned parity = 0;
  for (int head = first_head; head * units < end; ++head) {
    const int first = head * units, behind = min(end, first + units);
    UnitSums<Type, dim> sums(task.q + std::int64_t{task.first_query(head)} * (dim / 2),
                             task.queries(head));
    for (; at < behind; at += warps) {
      ring.wait(stage, parity);
      sums.add(shared.rings[warp][stage], task.factor,
               task.keys - std::int64_t{at - first} * unit_keys);
      load(stage, sums.all_have_read());
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;
      }
    }
    sums.put(shared.outputs[warp][0], RingsShared<dim, warps>::stride, shared.sums[warp]);
    __syncthreads();
    merge<Type>(shared, task, head, begin <= first && behind == first + units,
                2 * block + (head != first_head ? 1 : 0), keep);
    __syncthreads();  // the warps' sums have been read
  }
}

/// Adds up the parts of heads that several blocks have had. Blocks: heads, queries of a head.
template <class Type, int dim>
static __global__ void __launch_bounds__(adding_threads<dim>) add_up_rings_kernel(Task task) {
  ptx::next_kernel_may_begin();
  const auto head = static_cast<int>(blockIdx.x / most_queries),
             query = static_cast<int>(blockIdx.x % most_queries);
  const int first = head * task.cut.units, from = task.cut.block_of(first),
            to = task.cut.block_of(first + task.cut.units - 1);
  // The first block may have begun with the head before; others begin with this one.
  const bool second = task.cut.begin(from) / task.cut.units != head;
  // Also where nothing is to be added: a kernel that ends counts for all before it.
  ptx::previous_kernel_wait();
  if (query >= task.queries(head) || from == to) return;
  add_up<Type, dim>(
      task.parts, to - from + 1,
      [=](int i) { return (2 * (from + i) + (i == 0 && second ? 1 : 0)) * most_queries + query; },
      task.o + std::int64_t{task.first_query(head) + query} * (dim / 2));
}

inline std::size_t rings_workspace(const Problem& problem) {
  return parts_bytes(2 * most_ring_blocks * most_queries, problem.dim);
}

/// Pieces of groups that a block takes at once, of all heads of the cache.
inline std::int64_t pieces_of(const Problem& problem) {
  return (problem.group() + most_queries - 1) / most_queries;
}
inline std::int64_t units_of_head(const Problem& problem) {
  return (problem.keys + unit_keys - 1) / unit_keys;
}
inline Task task_of(const Problem& problem, const Operands& operands, const Cut& cut) {
  return {cut,
          static_cast<const unsigned*>(operands.q),
          static_cast<unsigned*>(operands.o),
          {},
          problem.keys,
          static_cast<int>(problem.group()),
          static_cast<int>(pieces_of(problem)),
          score_factor(static_cast<double>(problem.dim))};
}

/// Calls start(task, blocks), which starts the rung's kernel with blocks of so many warps, and has
/// what it leaves added up, by a kernel that begins early if the rung's lets it.
template <class Type, int dim, int warps, class Start>
void launch_rings(const Problem& problem, const Operands& operands, device::Stream& stream,
                  bool early, Start start) {
  const std::int64_t heads = problem.all_kv_heads() * pieces_of(problem);
  if (heads == 0) return;
  const std::int64_t most = std::int64_t{device::units(stream)} * (ring_warps / warps);
  const Cut cut = cut_for(heads, units_of_head(problem), std::min(most, most_ring_blocks), warps);
  Task task = task_of(problem, operands, cut);
  task.parts = parts_in(operands.workspace, 2 * std::int64_t{cut.blocks} * most_queries, dim);
  start(task, static_cast<unsigned>(cut.blocks));
  if (heads % cut.blocks == 0) return;  // no head has parts
  device::launch({.grid = dim3(static_cast<unsigned>(heads * most_queries)),
                  .block = dim3(adding_threads<dim>),
                  .early = early},
                 stream, add_up_rings_kernel<Type, dim>, task);
}

/// Whether heads alone fill the GPU with two blocks an SM.
inline bool many_heads(const Problem& problem, device::Stream& stream) {
  return problem.all_kv_heads() >= 2 * std::int64_t{device::units(stream)};
}

}  // namespace ridgeline::decode::on_cuda
