#include "harness/device/facts.hpp"
#include "kernels/decode/cuda/sm_90a/tensor_ring.cuh"
#include "kernels/ptx/cluster.cuh"

// Over mma_rings: the blocks that share a head are a cluster. Their parts stay in shared memory,
// where all of them add up some outputs each: there is no second kernel, and no part goes through
// memory. That pays where the cache is small, and the way from the first byte to the last sum is
// the bound. A cluster has eight blocks at most, so that of a few heads' larger caches not all SMs
// read, which costs more than the second kernel does.

namespace ridgeline::decode::on_cuda {
namespace {

constexpr int most_of_cluster = 8;

/// A part, as KeepInMemory leaves it.
template <int dim>
struct SharedPart {
  float2 outputs[most_queries][dim / 2];
  float2 sums[most_queries];

  __device__ __forceinline__ void operator()(int, int query, int pair, const float2& sum,
                                             const float2& of_sum) {
    outputs[query][pair] = sum;
    if (pair == 0) sums[query] = of_sum;
  }
};

/// Adds up the parts of a cluster's head: each block some of its outputs.
template <class Type, int dim>
__device__ __forceinline__ void add_up_cluster(SharedPart<dim>& part, const Task& task, int head,
                                               int threads) {
  constexpr int pairs = dim / 2;
  const unsigned size = ptx::cluster_size();
  const int step = static_cast<int>(size) * threads,
            first = static_cast<int>(ptx::cluster_rank()) * threads;
  unsigned* const o = task.o + std::int64_t{task.first_query(head)} * pairs;
  for (int index = first + static_cast<int>(threadIdx.x); index < task.queries(head) * pairs;
       index += step) {
    const int query = index / pairs, pair = index % pairs;
    float2 sums[most_of_cluster], outputs[most_of_cluster];
    float largest = -INFINITY, total = 0;
#pragma unroll
    for (unsigned rank = 0; rank < most_of_cluster; ++rank) {
      if (rank >= size) continue;
      sums[rank] = *ptx::map_shared_rank(&part.sums[query], rank);
      outputs[rank] = *ptx::map_shared_rank(&part.outputs[query][pair], rank);
      largest = fmaxf(largest, sums[rank].x);
    }
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (unsigned rank = 0; rank < most_of_cluster; ++rank) {
      if (rank >= size) continue;
      const float weight = ptx::exp2_approximate(sums[rank].x - largest);
      total += weight * sums[rank].y;
      sum.x += weight * outputs[rank].x;
      sum.y += weight * outputs[rank].y;
    }
    o[index] = ptx::pack(Type{}, sum.x / total, sum.y / total);
  }
}

template <class Type, int dim, int warps>
__global__ void __launch_bounds__(32 * warps, ring_warps / warps)
    cluster_rings_kernel(const __grid_constant__ device::TensorMap k,
                         const __grid_constant__ device::TensorMap v, Task task) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, memory);
  __shared__ SharedPart<dim> part;
  auto& shared = *reinterpret_cast<TensorShared<dim, warps>*>(
      memory + (pattern_bytes - ptx::shared_address(memory) % pattern_bytes) % pattern_bytes);
  const unsigned warp = threadIdx.x / 32;
  TensorRing<dim> ring{shared.rings.rings[warp], shared.full[warp], k, v};
  ring.init();
  read_cache<Type>(ring, shared.rings, task,
                   [&](int at, int query, int pair, const float2& sum, const float2& of_sum) {
                     part(at, query, pair, sum, of_sum);
                   });
  if (ptx::cluster_size() == 1) return;  // it has had a whole head
  ptx::cluster_arrive();
  ptx::cluster_wait();
  add_up_cluster<Type, dim>(
      part, task, static_cast<int>(blockIdx.x) / static_cast<int>(ptx::cluster_size()), 32 * warps);
  ptx::cluster_arrive();
  ptx::cluster_wait();  // the others have read this block's part
}

template <class Type, int dim, int warps>
void launch_with(const Problem& problem, const Operands& operands, device::Stream& stream,
                 std::int64_t heads, std::int64_t size) {
  device::launch({.grid = dim3(static_cast<unsigned>(heads * size)),
                  .block = dim3(32 * warps),
                  .shared_bytes = sizeof(TensorShared<dim, warps>) + pattern_bytes,
                  .cluster = dim3(static_cast<unsigned>(size)),
                  .early = true},
                 stream, cluster_rings_kernel<Type, dim, warps>, units_of(operands.k, problem),
                 units_of(operands.v, problem),
                 task_of(problem, operands, cut_into(heads, units_of_head(problem), heads * size)));
}

template <class Type, int dim>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t heads = problem.all_kv_heads() * pieces_of(problem);
  if (heads == 0) return;
  // Clusters of blocks that take an SM each find few places; of blocks of half an SM, all of them.
  const std::int64_t sms = device::units(stream);
  const bool few = heads * most_of_cluster <= sms / 2;
  const int warps = few ? ring_warps : ring_warps / 2;
  const std::int64_t size = std::clamp<std::int64_t>(
      std::min(sms / heads, units_of_head(problem) / warps), 1, most_of_cluster);
  (few ? launch_with<Type, dim, ring_warps>
       : launch_with<Type, dim, ring_warps / 2>)(problem, operands, stream, heads, size);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const bool wide = problem.dim == 128;
  if (problem.dtype == DType::f16)
    (wide ? launch_as<ptx::F16, 128> : launch_as<ptx::F16, 64>)(problem, operands, stream);
  else
    (wide ? launch_as<ptx::Bf16, 128> : launch_as<ptx::Bf16, 64>)(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  const device::Support possible = check(problem, {DType::bf16, DType::f16});
  if (possible && facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  return possible;
}

}  // namespace

Variant cluster_rings() {
  return {"the blocks of a head as a cluster, which adds its parts up in shared memory",
          {DType::bf16, DType::f16},
          supports,
          launch,
          nullptr,
          {.sectors_per_load = 4.1, .sectors_per_store = 4, .wavefronts_per_shared_request = 1.8}};
}

}  // namespace ridgeline::decode::on_cuda
