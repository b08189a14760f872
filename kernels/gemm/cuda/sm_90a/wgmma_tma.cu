#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/turn.cuh"

// Hopper's own way to multiply: a warpgroup's wgmma reads both factors from shared memory, where
// TMA has brought them, so that no thread spends registers or instructions on either. A block has
// two warpgroups, which make 128 x 256 of C from four stages of 64 of K. Bound by latency: all
// threads meet after each stage, so that one of them can fill it again, and the tensor cores run
// empty meanwhile.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int threads = 2 * 128;
constexpr unsigned stages = 4, shared_bytes = stages * stage_bytes + pattern_bytes;

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    wgmma_tma_kernel(const __grid_constant__ device::TensorMap a,
                     const __grid_constant__ device::TensorMap b, unsigned short* c, std::int64_t m,
                     std::int64_t n, int chunks, int tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages];
  unsigned char* const ring = first_tile(dynamic);
  const int row = static_cast<int>(blockIdx.x) / tile_columns * tile_m,
            column = static_cast<int>(blockIdx.x) % tile_columns * tile_n;
  const bool loads = threadIdx.x == 0;
  if (loads) {
    for (ptx::Barrier& barrier : full) ptx::barrier_init(&barrier, 1);
    ptx::fence_barrier_init();
    for (unsigned stage = 0; stage < stages && static_cast<int>(stage) < chunks; ++stage)
      load_stage(ring + stage * stage_bytes, a, b, static_cast<int>(stage) * tile_k, row, column,
                 &full[stage]);
  }
  __syncthreads();

  const int group = warpgroup_of_thread();
  const Factors factors(ring, group);
  float sums[group_sums];
  ptx::Turn<stages> turn;
  for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
    ptx::barrier_wait(&full[turn.stage], turn.parity);
    multiply_stage(Type{}, sums, factors, turn.stage, chunk != 0);
    ptx::products_wait<0>();
    __syncthreads();  // both warpgroups have read the stage
    const int next = chunk + static_cast<int>(stages);
    if (loads && next < chunks)
      load_stage(ring + turn.stage * stage_bytes, a, b, next * tile_k, row, column,
                 &full[turn.stage]);
  }
  store_rows<tile_n>(Type{}, sums, c, m, n, row + static_cast<int>(threadIdx.x) / 32 * 16, column);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, tile_m, tile_n);
  device::launch(
      {.grid = dim3(tiles.count()), .block = dim3(threads), .shared_bytes = shared_bytes}, stream,
      dtype == DType::f16 ? wgmma_tma_kernel<ptx::F16> : wgmma_tma_kernel<ptx::Bf16>,
      map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
      static_cast<unsigned short*>(operands.c), m, n, device::blocks_for(k, tile_k), tiles.columns);
}

}  // namespace

Variant wgmma_tma() {
  return {"Hopper's wgmma on tiles that TMA brings, four stages",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          nullptr,
          {.sectors_per_store = 16},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
