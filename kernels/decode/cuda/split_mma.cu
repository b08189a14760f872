#include "harness/device/facts.hpp"
#include "kernels/decode/cuda/rings.cuh"
#include "kernels/ptx/copy_async.cuh"

// `split` on tensor cores (mma.sync): a group of eight queries costs what one does. A warp copies
// its units itself (cp.async), and waits for no other one before the end of a head, so that a block
// always has 128 KiB under way. Bound by DRAM where the cache is large.

namespace ridgeline::decode::on_cuda {
namespace {

/// A warp's ring of a group of copies a stage.
template <int dim>
struct CopiedRing {
  unsigned short (&stages)[ring_stages<dim>][unit_elements<dim>];
  const unsigned short *k, *v;
  std::int64_t keys;

  __device__ __forceinline__ void begin() {}
  __device__ __forceinline__ void load(int stage, int head, int unit) {
    constexpr int pieces = dim / 8, rows_at_once = 32 / pieces;
    const int lane = static_cast<int>(threadIdx.x) % 32, piece = lane % pieces;
    const std::int64_t first = std::int64_t{unit} * unit_keys, of_head = head * keys;
    unsigned short* const to = stages[stage];
#pragma unroll
    for (int row = lane / pieces; row < unit_keys; row += rows_at_once) {
      const bool inside = first + row < keys;
      const std::int64_t from = (of_head + (inside ? first + row : 0)) * dim + 8 * piece;
      ptx::copy_async_16(to + place(row, piece), k + from, inside);
      ptx::copy_async_16(to + unit_elements<dim> / 2 + place(row, piece), v + from, inside);
    }
    ptx::copy_async_commit();
  }
  __device__ __forceinline__ void skip() {
    ptx::copy_async_commit();  // an empty group, so that the wait counts the same
  }
  __device__ __forceinline__ void wait(int, unsigned) {
    ptx::copy_async_wait<ring_stages<dim> - 1>();
    __syncwarp();
  }
};

template <class Type, int dim, int warps>
__global__ void __launch_bounds__(32 * warps, ring_warps / warps)
    split_mma_kernel(const unsigned short* k, const unsigned short* v, Task task) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, memory);
  auto& shared = *reinterpret_cast<RingsShared<dim, warps>*>(memory);
  CopiedRing<dim> ring{shared.rings[threadIdx.x / 32], k, v, task.keys};
  read_cache<Type>(ring, shared, task, KeepInMemory<dim>{task.parts});
}

template <class Type, int dim, int warps>
void launch_with(const Problem& problem, const Operands& operands, device::Stream& stream) {
  launch_rings<Type, dim, warps>(
      problem, operands, stream, /*early=*/false, [&](const Task& task, unsigned blocks) {
        device::launch({.grid = dim3(blocks),
                        .block = dim3(32 * warps),
                        .shared_bytes = sizeof(RingsShared<dim, warps>)},
                       stream, split_mma_kernel<Type, dim, warps>,
                       static_cast<const unsigned short*>(operands.k),
                       static_cast<const unsigned short*>(operands.v), task);
      });
}

template <class Type, int dim>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  (many_heads(problem, stream) ? launch_with<Type, dim, ring_warps / 2>
                               : launch_with<Type, dim, ring_warps>)(problem, operands, stream);
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
  if (!possible || facts.capability >= 80) return possible;
  return device::Support::unsupported("cp.async comes with compute capability 8.0");
}

}  // namespace

Variant split_mma() {
  return {
      "the queries of a group as columns of tensor cores, a ring of copies for each warp",
      {DType::bf16, DType::f16},
      supports,
      launch,
      rings_workspace,
      {.sectors_per_load = 9.68, .sectors_per_store = 5.25, .wavefronts_per_shared_request = 2.1}};
}

}  // namespace ridgeline::decode::on_cuda
