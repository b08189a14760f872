#include "harness/device/facts.hpp"
#include "kernels/decode/cuda/sm_90a/tensor_ring.cuh"

// `split_mma` by Hopper's means: one lane of a warp starts the copy of a whole unit (TMA), where
// all lanes compute addresses and start 16 copies each. And kernels begin early: what adds up is
// there when the last part is, and the next execution's barriers when this one ends. Bound by DRAM
// where the cache is large.

namespace ridgeline::decode::on_cuda {
namespace {

template <class Type, int dim, int warps>
__global__ void __launch_bounds__(32 * warps, ring_warps / warps)
    mma_rings_kernel(const __grid_constant__ device::TensorMap k,
                     const __grid_constant__ device::TensorMap v, Task task) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, memory);
  auto& shared = *reinterpret_cast<TensorShared<dim, warps>*>(
      memory + (pattern_bytes - ptx::shared_address(memory) % pattern_bytes) % pattern_bytes);
  const unsigned warp = threadIdx.x / 32;
  TensorRing<dim> ring{shared.rings.rings[warp], shared.full[warp], k, v};
  ring.init();
  read_cache<Type>(ring, shared.rings, task, KeepInMemory<dim>{task.parts});
}

template <class Type, int dim, int warps>
void launch_with(const Problem& problem, const Operands& operands, device::Stream& stream) {
  launch_rings<Type, dim, warps>(
      problem, operands, stream, /*early=*/true, [&](const Task& task, unsigned blocks) {
        device::launch({.grid = dim3(blocks),
                        .block = dim3(32 * warps),
                        .shared_bytes = sizeof(TensorShared<dim, warps>) + pattern_bytes,
                        .early = true},
                       stream, mma_rings_kernel<Type, dim, warps>, units_of(operands.k, problem),
                       units_of(operands.v, problem), task);
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
  if (possible && facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  return possible;
}

}  // namespace

Variant mma_rings() {
  return {
      "a ring of tensor copies for each warp, and kernels that begin early",
      {DType::bf16, DType::f16},
      supports,
      launch,
      rings_workspace,
      {.sectors_per_load = 4.1, .sectors_per_store = 5.25, .wavefronts_per_shared_request = 1.73}};
}

}  // namespace ridgeline::decode::on_cuda
