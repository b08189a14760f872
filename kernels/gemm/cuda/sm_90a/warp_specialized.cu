#include "kernels/gemm/cuda/sm_90a/tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/turn.cuh"

// Over wgmma_tma: warps have roles, and never meet. One thread of a third warpgroup does nothing
// but load; two warpgroups do nothing but multiply, and leave the products of one stage under way
// while they start those of the next, so that the tensor cores do not run empty. Warps tell that
// they have read a stage at its own barrier. The loading warpgroup gives its registers to the
// others, which hold 128 sums a thread. Bound by what is outside of this loop: each block fills its
// ring when it begins, and its tensor cores rest while it stores C; then by L2, which brings each
// tile to one block alone.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int multiplying = 2 * 128, threads = multiplying + 128;
constexpr unsigned stages = 4, shared_bytes = stages * stage_bytes + pattern_bytes;

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    warp_specialized_kernel(const __grid_constant__ device::TensorMap a,
                            const __grid_constant__ device::TensorMap b, unsigned short* c,
                            std::int64_t m, std::int64_t n, int chunks, int tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ ptx::Barrier full[stages], empty[stages];
  unsigned char* const ring = first_tile(dynamic);
  const int row = static_cast<int>(blockIdx.x) / tile_columns * tile_m,
            column = static_cast<int>(blockIdx.x) % tile_columns * tile_n;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(&full[stage], 1);
      ptx::barrier_init(&empty[stage], multiplying / 32);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();

  ptx::Turn<stages> turn;
  if (thread >= multiplying) {
    ptx::give_registers<40>();
    if (thread != multiplying) return;
    for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
      ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
      load_stage(ring + turn.stage * stage_bytes, a, b, chunk * tile_k, row, column,
                 &full[turn.stage]);
    }
    return;
  }
  ptx::take_registers<232>();
  const int group = warpgroup_of_thread();
  const Factors factors(ring, group);
  float sums[group_sums];
  unsigned last = 0;  // the stage whose products are under way
  for (int chunk = 0; chunk < chunks; ++chunk, turn.next()) {
    ptx::barrier_wait(&full[turn.stage], turn.parity);
    multiply_stage(Type{}, sums, factors, turn.stage, chunk != 0);
    ptx::products_wait<1>();
    if (chunk != 0 && thread % 32 == 0) ptx::barrier_arrive(&empty[last]);
    last = turn.stage;
  }
  ptx::products_wait<0>();
  store_rows<tile_n>(Type{}, sums, c, m, n, row + static_cast<int>(threadIdx.x) / 32 * 16, column);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Tiles tiles(problem, tile_m, tile_n);
  device::launch(
      {.grid = dim3(tiles.count()), .block = dim3(threads), .shared_bytes = shared_bytes}, stream,
      dtype == DType::f16 ? warp_specialized_kernel<ptx::F16> : warp_specialized_kernel<ptx::Bf16>,
      map_of(operands.a, dtype, m, k, tile_m), map_of(operands.b, dtype, k, n, tile_k),
      static_cast<unsigned short*>(operands.c), m, n, device::blocks_for(k, tile_k), tiles.columns);
}

}  // namespace

Variant warp_specialized() {
  return {"one warpgroup loads, two multiply without pause; they meet at mbarriers alone",
          {DType::bf16, DType::f16},
          by_tensor_copies,
          launch,
          nullptr,
          {.sectors_per_store = 16},
          /*vendor=*/false,
          /*multiple=*/8};
}

}  // namespace ridgeline::gemm::on_cuda
